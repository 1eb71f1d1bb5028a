#include "engine/program/graph/trace_executions.h"

#include "formats/trace/execution_counts.h"

static void add_accesses(const struct ft_run_batch *batch, uint64_t *accesses)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint32_t j = 0; j < run->reference_count; j++)
            accesses[batch->references[run->first + j]] += run->iteration_count;
    }
}

static int read_thread(struct ft_trace *trace, uint32_t thread, uint64_t *accesses,
                       struct ft_execution_counts *sum, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source = NULL;
    struct ft_run_batch batch = {.run_count = 1};
    int status = ft_trace_runs(trace, thread, &counts, &source, diag);
    while (!status && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (!status && accesses)
            add_accesses(&batch, accesses);
    }
    if (source)
        source->destroy(source);
    if (!status)
        status = ft_execution_counts_add(sum, &counts, ft_trace_unit_count(trace), diag);
    ft_execution_counts_fini(&counts);
    return status;
}

int ft_trace_executions(struct ft_trace *trace, uint64_t *accesses,
                        struct ft_execution_counts *ret_counts, struct ft_diag *diag)
{
    struct ft_execution_counts sum = {0};
    const struct ft_execution_counts *noted = ft_trace_counts(trace);
    if (noted) {
        int added = ft_execution_counts_add(&sum, noted, ft_trace_unit_count(trace), diag);
        if (added == FT_OK)
            *ret_counts = sum;
        else
            ft_execution_counts_fini(&sum);
        return added;
    }
    int status = ft_trace_thread_count(trace)
                     ? FT_OK
                     : ft_fail(diag, FT_ERROR_DATA, "the trace has no log of any thread");
    for (uint32_t t = 0; !status && t < ft_trace_thread_count(trace); t++)
        status = read_thread(trace, t, accesses, &sum, diag);
    if (status)
        ft_execution_counts_fini(&sum);
    else
        *ret_counts = sum;
    return status;
}
