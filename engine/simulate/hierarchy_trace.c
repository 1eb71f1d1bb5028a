/*
 * The trace's runs go through a source of ours, which gives each batch to all hierarchies, in
 * parallel (OpenMP), before it hands it on.
 */
#include "engine/simulate/hierarchy_trace.h"

#include <stdlib.h>
#include <string.h>

#include "engine/simulate/epochs.h"
#include "engine/simulate/simulate_trace.h"
#include "engine/structure/structure.h"
#include "formats/base/progress.h"

struct feeding_source {
    struct ft_run_source base;
    struct ft_run_source *inner;
    struct ft_hierarchy_trace *traced;
    struct ft_progress progress;
    uint64_t done;
};

static void count_accesses(struct feeding_source *feeding, const struct ft_run_batch *batch)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint32_t j = 0; j < run->reference_count; j++)
            feeding->traced->accesses[batch->references[run->first + j]] += run->iteration_count;
        feeding->done += run->reference_count * run->iteration_count;
    }
}

static int next(struct ft_run_source *source, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct feeding_source *feeding = (struct feeding_source *)source;
    struct ft_hierarchy_trace *traced = feeding->traced;
    struct ft_run_batch batch;
    int status = feeding->inner->next(feeding->inner, &batch, diag);
    if (status == FT_OK)
        status = ft_run_batch_check(feeding->inner, &batch, diag);
    if (status != FT_OK)
        return status;
    count_accesses(feeding, &batch);
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < traced->hierarchy_count; i++) {
        struct ft_diag own;
        int failed = ft_hierarchy_feed(traced->hierarchies[i], feeding->inner, &batch, &own);
        if (failed) {
#pragma omp critical
            {
                status = failed;
                *diag = own;
            }
        }
    }
    ft_progress_update(&feeding->progress, feeding->done, feeding->inner->access_count, "accesses");
    *ret_batch = batch;
    return status;
}

static int drain(struct ft_run_source *source, struct ft_diag *diag)
{
    struct ft_run_batch batch;
    int status;
    do
        status = source->next(source, &batch, diag);
    while (status == FT_OK && batch.run_count > 0);
    return status;
}

static int create_hierarchies(struct ft_hierarchy_trace *traced, const struct ft_machine *machines,
                              size_t machine_count, uint64_t seed, uint32_t reference_count,
                              struct ft_diag *diag)
{
    traced->accesses = calloc(reference_count ? reference_count : 1, sizeof *traced->accesses);
    traced->hierarchies = calloc(machine_count, sizeof(struct ft_hierarchy *));
    if (!traced->accesses || !traced->hierarchies)
        return ft_fail_memory(diag, "the simulation");
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < machine_count; i++) {
        status =
            ft_hierarchy_create(&machines[i], seed, reference_count, &traced->hierarchies[i], diag);
        traced->hierarchy_count += status == FT_OK;
    }
    return status;
}

struct consumer {
    ft_run_consumer *consume; /* may be NULL */
    void *context;
};

static int run(struct ft_trace *trace, const struct ft_machine *machines, size_t machine_count,
               uint64_t seed, const struct consumer *consumer, struct ft_hierarchy_trace *traced,
               struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct feeding_source feeding = {.traced = traced};
    int status = ft_trace_runs(trace, 0, &counts, &feeding.inner, diag);
    if (status != FT_OK)
        return status;
    feeding.base = *feeding.inner;
    feeding.base.next = next;
    ft_progress_init(&feeding.progress, "simulate");
    status = create_hierarchies(traced, machines, machine_count, seed, feeding.base.reference_count,
                                diag);
    if (status == FT_OK)
        status = consumer->consume ? consumer->consume(consumer->context, &feeding.base, diag)
                                   : drain(&feeding.base, diag);
    ft_progress_fini(&feeding.progress);
    if (status == FT_OK)
        status = ft_structure_build(trace, &counts, feeding.base.references,
                                    feeding.base.reference_count, NULL, &traced->scopes, diag);
    feeding.inner->destroy(feeding.inner);
    ft_execution_counts_fini(&counts);
    return status;
}

int ft_hierarchy_trace_run(const char *path, const struct ft_machine *machines,
                           size_t machine_count, uint64_t seed, ft_run_consumer *consume,
                           void *context, struct ft_hierarchy_trace *ret_traced,
                           struct ft_diag *diag)
{
    const struct consumer consumer = {consume, context};
    struct ft_trace *trace;
    struct ft_hierarchy_trace traced = {0};
    int status = ft_simulate_open(path, &trace, diag);
    if (status != FT_OK)
        return status;
    status = ft_metadata_copy(ft_trace_metadata(trace), &traced.metadata, diag);
    if (status == FT_OK && !(traced.content_hash = strdup(ft_trace_content_hash(trace))))
        status = ft_fail_memory(diag, "a simulation");
    if (status == FT_OK)
        status = run(trace, machines, machine_count, seed, &consumer, &traced, diag);
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
