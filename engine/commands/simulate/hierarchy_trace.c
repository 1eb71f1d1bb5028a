/*
 * Each batch is given to all hierarchies, in parallel (OpenMP), and to the taker.
 */
#include "engine/commands/simulate/hierarchy_trace.h"

#include <stdlib.h>

#include "engine/program/structure.h"
#include "engine/streams/all_threads.h"
#include "engine/streams/run_batch.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/trace_operand.h"

struct pass {
    const struct ft_hierarchy_question *question;
    struct ft_hierarchy_trace *traced;
    struct ft_run_source *source;
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

static int note_references(const struct pass *pass, struct ft_diag *diag)
{
    struct ft_hierarchy_trace *traced = pass->traced;
    traced->reference_count = pass->source->reference_count;
    traced->accesses = calloc(traced->reference_count + 1, sizeof *traced->accesses);
    traced->kinds = calloc(traced->reference_count + 1, sizeof *traced->kinds);
    if (!traced->accesses || !traced->kinds)
        return ft_fail_memory(diag, "the simulation");
    for (size_t r = 0; r < traced->reference_count; r++)
        traced->kinds[r] = pass->source->references[r].kind;
    return traced->data ? note_instructions(traced, diag) : FT_OK;
}

static int create_hierarchies(const struct pass *pass, struct ft_diag *diag)
{
    const struct ft_hierarchy_question *question = pass->question;
    struct ft_hierarchy_trace *traced = pass->traced;
    uint32_t references = pass->source->reference_count;
    traced->hierarchies = calloc(question->machine_count + 1, sizeof(struct ft_hierarchy *));
    int status =
        traced->hierarchies ? note_references(pass, diag) : ft_fail_memory(diag, "the simulation");
    for (size_t i = 0; status == FT_OK && i < question->machine_count; i++) {
        status = ft_hierarchy_create(&question->machines[i], traced->thread_count, question->seed,
                                     references, &traced->hierarchies[i], diag);
        if (status != FT_OK)
            break;
        ft_hierarchy_join_references(traced->hierarchies[i], traced->instructions);
        traced->hierarchy_count++;
    }
    return status;
}

static int feed_hierarchies(const struct pass *pass, const struct ft_run_batch *batch,
                            struct ft_diag *diag)
{
    const struct ft_hierarchy_trace *traced = pass->traced;
    int status = FT_OK;
#pragma omp parallel for schedule(dynamic) if (traced->hierarchy_count > 1)
    for (size_t i = 0; i < traced->hierarchy_count; i++) {
        struct ft_diag own;
        int failed =
            ft_hierarchy_feed(traced->hierarchies[i], batch->thread, pass->source, batch, &own);
        if (failed) {
#pragma omp critical
            {
                status = failed;
                *diag = own;
            }
        }
    }
    return status;
}

/* Takes the source to its end. */
static int feed(const struct pass *pass, struct ft_progress *progress, struct ft_diag *diag)
{
    const struct ft_run_taker *taker = pass->question->taker;
    uint64_t done = 0;
    for (;;) {
        struct ft_run_batch batch;
        int status = pass->source->next(pass->source, &batch, diag);
        if (status != FT_OK || batch.run_count == 0)
            return status;
        status = ft_run_batch_check(pass->source, &batch, diag);
        if (status == FT_OK)
            status = feed_hierarchies(pass, &batch, diag);
        if (status == FT_OK && taker)
            status = taker->take(taker->context, pass->source, &batch, diag);
        if (status != FT_OK)
            return status;
        done += ft_run_batch_count(&batch, pass->traced->accesses);
        ft_progress_update(progress, done, pass->source->access_count, "accesses");
    }
}

static int simulate(const struct pass *pass, struct ft_diag *diag)
{
    const struct ft_run_taker *taker = pass->question->taker;
    struct ft_progress_line progress;
    int status = create_hierarchies(pass, diag);
    if (status == FT_OK && taker)
        status = taker->begin(taker->context, pass->source, pass->traced->thread_count, diag);
    if (status != FT_OK)
        return status;
    ft_progress_line_init(&progress, "simulate");
    status = feed(pass, &progress.base, diag);
    ft_progress_line_fini(&progress);
    return status;
}

static int run_by_place(struct pass *pass, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_hierarchy_trace *traced = pass->traced;
    int status =
        ft_all_threads_runs(traced->trace, pass->question->content, &counts, &pass->source, diag);
    if (status != FT_OK)
        return status;
    status = simulate(pass, diag);
    if (status == FT_OK)
        status = ft_structure_build(traced->trace, &counts, pass->source->references,
                                    pass->source->reference_count, NULL, &traced->scopes, diag);
    pass->source->destroy(pass->source);
    ft_execution_counts_fini(&counts);
    return status;
}

static int run_by_data(struct pass *pass, struct ft_diag *diag)
{
    struct ft_hierarchy_trace *traced = pass->traced;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status =
        ft_data_runs_create(traced->trace, pass->question->callers, pass->question->content, NULL,
                            &progress.base, &traced->data, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        status = ft_data_runs_source(traced->data, &pass->source, diag);
    if (status != FT_OK)
        return status;
    status = simulate(pass, diag);
    pass->source->destroy(pass->source);
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
    traced.thread_count = ft_trace_thread_count(traced.trace);
    status = question->callers ? run_by_data(&pass, diag) : run_by_place(&pass, diag);
    if (status != FT_OK) {
        ft_hierarchy_trace_fini(&traced);
        return status;
    }
    *ret_traced = traced;
    return FT_OK;
}

void ft_hierarchy_trace_fini(struct ft_hierarchy_trace *traced)
{
    for (size_t i = 0; i < traced->hierarchy_count; i++)
        ft_hierarchy_destroy(traced->hierarchies[i]);
    free(traced->hierarchies);
    free(traced->accesses);
    free(traced->kinds);
    free(traced->instructions);
    ft_data_runs_destroy(traced->data);
    ft_scopes_fini(&traced->scopes);
    ft_trace_close(traced->trace);
    *traced = (struct ft_hierarchy_trace){0};
}
