#include "engine/commands/structure/skeleton_report.h"

#include <stdlib.h>

#include "formats/commands/scope_report.h"

uint32_t ft_skeleton_token_scope(const struct ft_skeleton *skeleton, uint32_t token)
{
    return ft_nest_kind(token) == FT_NEST_LOOP ? skeleton->loop_scopes[ft_nest_id(token)]
                                               : skeleton->routine_scopes[ft_nest_id(token)];
}

static void add_shares(struct ft_skeleton_report *report)
{
    const struct ft_skeleton *skeleton = &report->skeleton;
    const struct ft_scoped_reference *references = skeleton->scopes.references;
    for (uint32_t r = 0; r < skeleton->reference_count; r++) {
        double *row = report->shares + (size_t)references[r].scope * FT_SKELETON_COLUMNS;
        row[FT_SKELETON_ACCESSES] += (double)skeleton->accesses[r];
        for (uint32_t t = 0; t < skeleton->thread_count; t++)
            row[FT_SKELETON_IRREGULAR] += (double)skeleton->threads[t].irregular_accesses[r];
    }
    for (uint32_t t = 0; t < skeleton->thread_count; t++) {
        const struct ft_nest *nest = &skeleton->threads[t].nest;
        const struct ft_nest_executions *executions = &report->executions[t];
        for (size_t i = 0; i < nest->token_count; i++) {
            double made = (double)(executions->before[i + 1] - executions->before[i]);
            if (made == 0)
                continue; /* no access */
            double *row = report->shares + (size_t)references[ft_nest_id(nest->tokens[i])].scope *
                                               FT_SKELETON_COLUMNS;
            row[executions->in_loop[i] ? FT_SKELETON_IN_LOOPS : FT_SKELETON_ONE_BY_ONE] += made;
        }
    }
    ft_scopes_add_nested(&skeleton->scopes, report->shares, FT_SKELETON_COLUMNS);
}

static int choose_scopes(struct ft_skeleton_report *report, size_t loops, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->skeleton.scopes;
    double *weights = malloc((scopes->scope_count + 1) * sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        weights[i] = ft_skeleton_shares(report, i)[FT_SKELETON_ACCESSES];
    int status = ft_scopes_select(scopes, weights, loops, &report->list, &report->count, diag);
    free(weights);
    return status;
}

int ft_skeleton_report_make(struct ft_trace *trace, size_t loops, bool all,
                            struct ft_progress *progress, struct ft_skeleton_report *ret_report,
                            struct ft_diag *diag)
{
    struct ft_skeleton_options options = {0};
    struct ft_skeleton_report report = {.metadata = ft_trace_metadata(trace),
                                        .trace_hash = ft_trace_content_hash(trace),
                                        .all = all};
    FT_TRY(ft_trace_skeleton(trace, &options, progress, &report.skeleton, diag));
    const struct ft_skeleton *skeleton = &report.skeleton;
    report.executions = calloc(skeleton->thread_count + (size_t)1, sizeof *report.executions);
    report.shares =
        calloc(skeleton->scopes.scope_count * FT_SKELETON_COLUMNS, sizeof *report.shares);
    int status = report.executions && report.shares ? FT_OK : ft_fail_memory(diag, "a report");
    for (uint32_t t = 0; !status && t < skeleton->thread_count; t++)
        status = ft_nest_executions_make(&skeleton->threads[t].nest, &report.executions[t], diag);
    if (!status) {
        add_shares(&report);
        status = choose_scopes(&report, loops, diag);
    }
    if (status) {
        ft_skeleton_report_fini(&report);
        return status;
    }
    *ret_report = report;
    return FT_OK;
}

void ft_skeleton_report_fini(struct ft_skeleton_report *report)
{
    for (uint32_t t = 0; report->executions && t < report->skeleton.thread_count; t++)
        ft_nest_executions_fini(&report->executions[t]);
    free(report->executions);
    free(report->shares);
    free(report->list);
    ft_skeleton_fini(&report->skeleton);
}
