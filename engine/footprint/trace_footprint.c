#include "engine/footprint/trace_footprint.h"

#include <stdlib.h>

#include "engine/program/graph/trace_executions.h"
#include "engine/program/structure.h"
#include "engine/streams/all_threads.h"

static int find_scopes(struct ft_trace *trace, const struct ft_run_source *source,
                       struct ft_scopes *ret_scopes, uint64_t *ret_accesses, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    uint64_t *accesses = calloc(source->reference_count + (size_t)1, sizeof *accesses);
    int status = accesses ? ft_trace_executions(trace, accesses, &counts, diag)
                          : ft_fail_memory(diag, "the references of a trace");
    *ret_accesses = 0;
    for (uint32_t r = 0; !status && r < source->reference_count; r++)
        *ret_accesses += accesses[r];
    if (!status)
        status = ft_structure_build(trace, &counts, source->references, source->reference_count,
                                    NULL, ret_scopes, diag);
    ft_execution_counts_fini(&counts);
    free(accesses);
    return status;
}

static int take_all(struct ft_footprinter *footprinter, struct ft_run_source *source,
                    uint64_t accesses, struct ft_progress *progress, struct ft_diag *diag)
{
    for (;;) {
        struct ft_run_batch batch;
        int status = source->next(source, &batch, diag);
        if (status || batch.run_count == 0)
            return status;
        status = ft_footprint_take(footprinter, source, &batch, diag);
        if (status)
            return status;
        ft_progress_update(progress, ft_footprint_accesses(footprinter), accesses, "accesses");
    }
}

static int measure(struct ft_run_source *source, const uint64_t *block_bytes, size_t size_count,
                   uint64_t interval_count, const struct ft_scopes *scopes, uint64_t accesses,
                   struct ft_progress *progress, struct ft_footprint *ret_footprint,
                   struct ft_diag *diag)
{
    struct ft_footprinter *footprinter;
    uint64_t interval = accesses / interval_count + (accesses % interval_count > 0);
    int status = ft_footprint_create(block_bytes, size_count, interval ? interval : 1, scopes,
                                     &footprinter, diag);
    if (status)
        return status;
    status = take_all(footprinter, source, accesses, progress, diag);
    if (!status)
        status = ft_footprint_finish(footprinter, ret_footprint, diag);
    ft_footprint_destroy(footprinter);
    return status;
}

int ft_trace_footprint(struct ft_trace *trace, const uint64_t *block_bytes, size_t size_count,
                       uint64_t interval_count, struct ft_progress *progress,
                       struct ft_scopes *ret_scopes, struct ft_footprint *ret_footprint,
                       struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_scopes scopes = {0};
    uint64_t accesses;
    int status = ft_all_threads_runs(trace, FT_RUN_ACCESSES, NULL, &source, diag);
    if (status)
        return status;
    status = find_scopes(trace, source, &scopes, &accesses, diag);
    if (!status)
        status = measure(source, block_bytes, size_count, interval_count, &scopes, accesses,
                         progress, ret_footprint, diag);
    source->destroy(source);
    if (status) {
        ft_scopes_fini(&scopes);
        return status;
    }
    *ret_scopes = scopes;
    return FT_OK;
}
