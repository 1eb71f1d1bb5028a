/*
 * Each batch is given to all hierarchies, in parallel (OpenMP), and to the taker.
 */
#include "engine/simulate/hierarchy_trace.h"

#include <stdlib.h>
#include <string.h>

#include "engine/replay/all_threads.h"
#include "engine/simulate/run_batch.h"
#include "engine/structure/structure.h"
#include "formats/base/progress.h"
#include "formats/trace_operand.h"

struct pass {
    const struct ft_hierarchy_question *question;
    struct ft_hierarchy_trace *traced;
    struct ft_run_source *source;
};

static int create_hierarchies(const struct pass *pass, struct ft_diag *diag)
{
    const struct ft_hierarchy_question *question = pass->question;
    struct ft_hierarchy_trace *traced = pass->traced;
    uint32_t references = pass->source->reference_count;
    traced->accesses = calloc(references + (size_t)1, sizeof *traced->accesses);
    traced->hierarchies = calloc(question->machine_count + 1, sizeof(struct ft_hierarchy *));
    if (!traced->accesses || !traced->hierarchies)
        return ft_fail_memory(diag, "the simulation");
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < question->machine_count; i++) {
        status = ft_hierarchy_create(&question->machines[i], traced->thread_count, question->seed,
                                     references, &traced->hierarchies[i], diag);
        traced->hierarchy_count += status == FT_OK;
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
    struct ft_progress progress;
    int status = create_hierarchies(pass, diag);
    if (status == FT_OK && taker)
        status = taker->begin(taker->context, pass->source, pass->traced->thread_count, diag);
    if (status != FT_OK)
        return status;
    ft_progress_init(&progress, "simulate");
    status = feed(pass, &progress, diag);
    ft_progress_fini(&progress);
    return status;
}

static int run(struct ft_trace *trace, const struct ft_hierarchy_question *question,
               struct ft_hierarchy_trace *traced, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct pass pass = {.question = question, .traced = traced};
    traced->thread_count = ft_trace_thread_count(trace);
    int status = ft_metadata_copy(ft_trace_metadata(trace), &traced->metadata, diag);
    if (status == FT_OK && !(traced->content_hash = strdup(ft_trace_content_hash(trace))))
        status = ft_fail_memory(diag, "a simulation");
    if (status == FT_OK)
        status = ft_all_threads_runs(trace, question->content, &counts, &pass.source, diag);
    if (status != FT_OK)
        return status;
    status = simulate(&pass, diag);
    if (status == FT_OK)
        status = ft_structure_build(trace, &counts, pass.source->references,
                                    pass.source->reference_count, NULL, &traced->scopes, diag);
    pass.source->destroy(pass.source);
    ft_execution_counts_fini(&counts);
    return status;
}

int ft_hierarchy_trace_run(const struct ft_arguments *arguments,
                           const struct ft_hierarchy_question *question,
                           struct ft_hierarchy_trace *ret_traced, struct ft_diag *diag)
{
    struct ft_trace *trace;
    struct ft_hierarchy_trace traced = {0};
    int status = ft_trace_open_operand(arguments, &trace, diag);
    if (status != FT_OK)
        return status;
    status = run(trace, question, &traced, diag);
    ft_trace_close(trace);
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
    free(traced->content_hash);
    ft_metadata_fini(&traced->metadata);
    ft_scopes_fini(&traced->scopes);
    *traced = (struct ft_hierarchy_trace){0};
}
