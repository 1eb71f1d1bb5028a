/*
 * Rows are chosen by weight, their instructions: those below the threshold weigh nothing, the
 * heaviest of the others are kept. To sort by address the chosen rows are weighted again, earlier
 * ones more: scopes and blocks are numbered by module and address.
 */
#include "engine/commands/structure/mix_report.h"

#include <stdlib.h>
#include <string.h>

#include "formats/commands/scope_report.h"

const char *const ft_mix_level_names[FT_MIX_LEVELS] = {
    "program", "module", "routine", "loop", "block",
};

struct weighed {
    double weight;
    uint32_t item;
};

static int compare(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static size_t item_count(const struct ft_mix_report *report)
{
    const struct ft_scopes *scopes = &report->structure->structure.scopes;
    return report->question.level == FT_MIX_OF_BLOCKS ? scopes->block_count : scopes->scope_count;
}

static bool is_asked_for(const struct ft_mix_report *report, uint32_t item)
{
    static const uint8_t kinds[] = {
        [FT_MIX_OF_PROGRAM] = FT_SCOPE_PROGRAM,
        [FT_MIX_OF_MODULES] = FT_SCOPE_MODULE,
        [FT_MIX_OF_ROUTINES] = FT_SCOPE_ROUTINE,
    };
    const enum ft_mix_level level = report->question.level;
    const struct ft_scope *scope = &report->structure->structure.scopes.scopes[item];
    if (level == FT_MIX_OF_BLOCKS)
        return true;
    return level == FT_MIX_OF_LOOPS ? scope->kind >= FT_SCOPE_ROUTINE : scope->kind == kinds[level];
}

const struct ft_mix *ft_mix_report_row(const struct ft_mix_report *report, uint32_t item)
{
    if (report->question.level != FT_MIX_OF_BLOCKS)
        return &report->scope_mixes[item];
    return report->code_mixes ? &report->code_mixes[item] : &report->structure->block_mixes[item];
}

/* The chosen ones of all items, by falling weight, into the list. */
static int choose_flat(struct ft_mix_report *report, const double *weights, size_t limit,
                       struct ft_diag *diag)
{
    const size_t items = item_count(report);
    struct weighed *all = calloc(items + 1, sizeof *all);
    report->list = calloc(items + 1, sizeof *report->list);
    if (!all || !report->list) {
        free(all);
        return ft_fail_memory(diag, "a report");
    }
    size_t count = 0;
    for (uint32_t i = 0; i < items; i++)
        if (weights[i] > 0)
            all[count++] = (struct weighed){weights[i], i};
    qsort(all, count, sizeof *all, compare);
    report->count = count < limit ? count : limit;
    for (size_t i = 0; i < report->count; i++)
        report->list[i] = all[i].item;
    free(all);
    return FT_OK;
}

static int choose_by(struct ft_mix_report *report, const double *weights, size_t limit,
                     struct ft_diag *diag)
{
    free(report->list);
    report->list = NULL;
    return report->question.level == FT_MIX_OF_LOOPS
               ? ft_scopes_select(&report->structure->structure.scopes, weights, limit,
                                  &report->list, &report->count, diag)
               : choose_flat(report, weights, limit, diag);
}

static int choose(struct ft_mix_report *report, struct ft_diag *diag)
{
    const size_t items = item_count(report);
    const size_t limit =
        report->question.rows < SIZE_MAX ? (size_t)report->question.rows : SIZE_MAX;
    const double min = report->question.threshold * (double)report->scope_mixes[0].instructions;
    double *weights = calloc(items + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (uint32_t i = 0; i < items; i++) {
        double instructions = (double)ft_mix_report_row(report, i)->instructions;
        if (is_asked_for(report, i) && instructions >= min)
            weights[i] = instructions;
    }
    int status = choose_by(report, weights, limit, diag);
    if (!status && report->question.by_address) {
        memset(weights, 0, items * sizeof *weights);
        for (size_t i = 0; i < report->count; i++)
            weights[report->list[i]] = (double)(items - report->list[i]);
        status = choose_by(report, weights, limit, diag);
    }
    free(weights);
    return status;
}

static int read_code(struct ft_mix_report *report, struct ft_diag *diag)
{
    const struct ft_flow_graph *graph = &report->structure->structure.graph;
    report->code_mixes = calloc(graph->block_count + 1, sizeof *report->code_mixes);
    if (!report->code_mixes)
        return ft_fail_memory(diag, "the instruction mix");
    for (uint32_t b = 0; b < graph->block_count; b++)
        ft_mix_of_code(graph, b, &report->code_mixes[b]);
    return FT_OK;
}

int ft_mix_report_make(const struct ft_structure_report *structure,
                       const struct ft_mix_question *question, struct ft_mix_report *ret_report,
                       struct ft_diag *diag)
{
    struct ft_mix_report *report = ret_report;
    *report = (struct ft_mix_report){.structure = structure, .question = *question};
    int status = question->of_code ? read_code(report, diag) : FT_OK;
    if (!status)
        status = ft_mix_of_scopes(&structure->structure.scopes,
                                  report->code_mixes ? report->code_mixes : structure->block_mixes,
                                  &report->scope_mixes, diag);
    if (!status)
        status = choose(report, diag);
    if (status)
        ft_mix_report_fini(report);
    return status;
}

bool ft_mix_has_accesses(const struct ft_mix_report *report)
{
    return report->question.of_code || !report->structure->only_counts;
}

int ft_mix_report_blocks(const struct ft_mix_report *report, struct ft_locations *ret_locations,
                         struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->structure->structure.scopes;
    double *none = calloc(scopes->reference_count + 1, sizeof *none);
    if (!none)
        return ft_fail_memory(diag, "a table of blocks");
    int status =
        ft_locations_init(ret_locations, FT_LOCATION_BLOCKS, scopes, none, 1, 0, false, diag);
    free(none);
    return status;
}

void ft_mix_report_fini(struct ft_mix_report *report)
{
    free(report->scope_mixes);
    free(report->code_mixes);
    free(report->list);
    *report = (struct ft_mix_report){0};
}
