#include "engine/commands/simulate/hierarchy_trace.h"

#include <stdlib.h>

#include "engine/simulate/hierarchy/hierarchy_of_trace.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/trace_operand.h"

struct pass {
    const struct ft_hierarchy_question *question;
    struct ft_hierarchy_trace *traced;
};

/* Of each pair the first one of its reference. */
static int note_instructions(struct ft_hierarchy_trace *traced, struct ft_diag *diag)
{
    size_t pair_count;
    uint32_t reference_count;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(traced->data, &pair_count);
    ft_data_runs_references(traced->data, &reference_count);
    uint32_t *first = calloc(reference_count + (size_t)1, sizeof *first); /* + 1; 0: none yet */
    traced->instructions = calloc(pair_count + 1, sizeof *traced->instructions);
    for (size_t p = 0; first && traced->instructions && p < pair_count; p++) {
        uint32_t *own = &first[pairs[p].reference];
        *own = *own ? *own : (uint32_t)p + 1;
        traced->instructions[p] = *own - 1;
    }
    int status = first && traced->instructions ? FT_OK : ft_fail_memory(diag, "the simulation");
    free(first);
    return status;
}

static struct ft_hierarchy_task task_of(const struct pass *pass)
{
    const struct ft_hierarchy_question *question = pass->question;
    return (struct ft_hierarchy_task){.machines = question->machines,
                                      .machine_count = question->machine_count,
                                      .seed = question->seed,
                                      .causes = question->causes,
                                      .thread_count = ft_trace_thread_count(pass->traced->trace),
                                      .instructions = pass->traced->instructions,
                                      .taker = question->taker};
}

static int run_by_place(const struct pass *pass, struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_hierarchy_trace *traced = pass->traced;
    const struct ft_hierarchy_task task = task_of(pass);
    return ft_hierarchy_of_trace(traced->trace, &task, pass->question->content, progress,
                                 &traced->run, &traced->scopes, diag);
}

static int run_by_data(const struct pass *pass, struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_hierarchy_trace *traced = pass->traced;
    struct ft_run_source *source;
    FT_TRY(ft_data_runs_create(traced->trace, pass->question->callers, pass->question->content,
                               NULL, progress, &traced->data, diag));
    FT_TRY(note_instructions(traced, diag));
    FT_TRY(ft_data_runs_source(traced->data, &source, diag));
    const struct ft_hierarchy_task task = task_of(pass);
    int status = ft_hierarchy_run(&task, source, progress, &traced->run, diag);
    source->destroy(source);
    return status;
}

int ft_hierarchy_trace_run(const struct ft_arguments *arguments,
                           const struct ft_hierarchy_question *question,
                           struct ft_hierarchy_trace *ret_traced, struct ft_diag *diag)
{
    struct ft_hierarchy_trace traced = {0};
    struct pass pass = {.question = question, .traced = &traced};
    int status = ft_trace_open_operand(arguments, &traced.trace, diag);
    if (status != FT_OK)
        return status;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    status = question->callers ? run_by_data(&pass, &progress.base, diag)
                               : run_by_place(&pass, &progress.base, diag);
    ft_progress_line_fini(&progress);
    if (status != FT_OK) {
        ft_hierarchy_trace_fini(&traced);
        return status;
    }
    *ret_traced = traced;
    return FT_OK;
}

void ft_hierarchy_trace_fini(struct ft_hierarchy_trace *traced)
{
    ft_hierarchy_run_fini(&traced->run);
    free(traced->instructions);
    ft_data_runs_destroy(traced->data);
    ft_scopes_fini(&traced->scopes);
    ft_trace_close(traced->trace);
    *traced = (struct ft_hierarchy_trace){0};
}
