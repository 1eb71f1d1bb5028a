#include "engine/streams/all_threads.h"

#include <stdlib.h>

#include "engine/streams/interleaving.h"
#include "formats/trace/execution_counts.h"

struct all_threads {
    struct ft_run_source base; /* first, so that a source is cast to its whole */
    struct ft_run_source **sources;
    struct ft_execution_counts *counts; /* [thread] */
    struct ft_execution_counts *sum;    /* to be filled at the end, or NULL */
    size_t unit_count;
    uint32_t count;
    struct ft_thread_order order;
    struct ft_interleaving *interleaving;
};

/* Hands the counts over, once. */
static int sum_counts(struct all_threads *all, struct ft_diag *diag)
{
    struct ft_execution_counts sum = {0};
    int status = FT_OK;
    for (uint32_t t = 0; !status && all->sum && t < all->count; t++)
        status = ft_execution_counts_add(&sum, &all->counts[t], all->unit_count, diag);
    if (status) {
        ft_execution_counts_fini(&sum);
        return status;
    }
    if (all->sum)
        *all->sum = sum;
    all->sum = NULL;
    return FT_OK;
}

static int next(struct ft_run_source *source, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct all_threads *all = (struct all_threads *)source;
    uint32_t thread = 0;
    int status = ft_interleaving_next(all->interleaving, &thread, ret_batch, diag);
    if (!status && ret_batch->run_count == 0)
        status = sum_counts(all, diag);
    if (!status)
        ret_batch->thread = thread;
    return status;
}

static void destroy(struct ft_run_source *source)
{
    struct all_threads *all = (struct all_threads *)source;
    ft_interleaving_destroy(all->interleaving);
    for (uint32_t t = 0; all->sources && t < all->count; t++)
        if (all->sources[t])
            all->sources[t]->destroy(all->sources[t]);
    for (uint32_t t = 0; all->counts && t < all->count; t++)
        ft_execution_counts_fini(&all->counts[t]);
    free(all->sources);
    free(all->counts);
    ft_thread_order_fini(&all->order);
    free(all);
}

static int open_sources(struct ft_trace *trace, unsigned content, struct all_threads *all,
                        struct ft_diag *diag)
{
    int status = ft_thread_order_read(trace, content, &all->order, diag);
    if (status)
        return status;
    all->count = all->order.thread_count;
    all->sources = calloc(all->count + (size_t)1, sizeof *all->sources);
    all->counts = calloc(all->count + (size_t)1, sizeof *all->counts);
    if (!all->sources || !all->counts)
        return ft_fail_memory(diag, "threads");
    for (uint32_t t = 0; !status && t < all->count; t++) {
        status = ft_trace_runs_of(trace, t, content, all->sum ? &all->counts[t] : NULL,
                                  &all->sources[t], diag);
        if (!status)
            all->base.access_count += all->sources[t]->access_count;
    }
    if (!status)
        status =
            ft_interleaving_create(all->sources, &all->order, UINT32_MAX, &all->interleaving, diag);
    return status;
}

int ft_all_threads_runs(struct ft_trace *trace, unsigned content,
                        struct ft_execution_counts *counts, struct ft_run_source **ret_source,
                        struct ft_diag *diag)
{
    if (ft_trace_thread_count(trace) == 0)
        return ft_fail(diag, FT_ERROR_DATA, "the trace has no log of any thread");
    if (ft_trace_thread_count(trace) == 1)
        return ft_trace_runs_of(trace, 0, content, counts, ret_source, diag);
    struct all_threads *all = calloc(1, sizeof *all);
    if (!all)
        return ft_fail_memory(diag, "threads");
    all->base.next = next;
    all->base.destroy = destroy;
    all->sum = counts;
    all->unit_count = ft_trace_unit_count(trace);
    int status = open_sources(trace, content, all, diag);
    if (status) {
        destroy(&all->base);
        return status;
    }
    all->base.references = all->sources[0]->references;
    all->base.reference_count = all->sources[0]->reference_count;
    *ret_source = &all->base;
    return FT_OK;
}
