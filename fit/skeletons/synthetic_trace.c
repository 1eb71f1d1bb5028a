#include "fit/skeletons/synthetic_trace.h"

#define PROGRESS_ACCESSES (UINT64_C(1) << 22)

static int add_batch(struct ft_reference_log *log, const struct ft_reference *references,
                     const struct ft_run_batch *batch, struct ft_diag *diag)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t e = run->first; e < run->first + run->reference_count; e++) {
                const struct ft_reference *reference = &references[batch->references[e]];
                const struct ft_text_item item = {.pc = reference->pc,
                                                  .address = batch->addresses[e] +
                                                             i * (uint64_t)batch->strides[e],
                                                  .size_bytes = reference->size_bytes,
                                                  .kind = reference->kind};
                FT_TRY(ft_reference_log_add(log, &item, diag));
            }
    }
    return FT_OK;
}

static uint64_t batch_accesses(const struct ft_run_batch *batch)
{
    uint64_t accesses = 0;
    for (size_t r = 0; r < batch->run_count; r++)
        accesses += batch->runs[r].iteration_count * batch->runs[r].reference_count;
    return accesses;
}

static int add_all(struct ft_reference_log *log, struct ft_run_source *source,
                   struct ft_progress *progress, struct ft_diag *diag)
{
    uint64_t accesses = 0, told = 0;
    for (;;) {
        struct ft_run_batch batch;
        FT_TRY(source->next(source, &batch, diag));
        if (batch.run_count == 0)
            return FT_OK;
        FT_TRY(add_batch(log, source->references, &batch, diag));
        accesses += batch_accesses(&batch);
        if (accesses - told >= PROGRESS_ACCESSES) {
            told = accesses;
            ft_progress_update(progress, accesses, 0, "accesses");
        }
    }
}

int ft_synthesis_write(const struct ft_synthesis *synthesis, const char *output,
                       const struct ft_reference_origin *origins, size_t origin_count,
                       struct ft_metadata *metadata, struct ft_progress *progress,
                       struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_trace_writer *writer = NULL;
    struct ft_reference_log *log = NULL;
    FT_TRY(ft_synthesis_source(synthesis, &source, diag));
    int status = ft_trace_writer_create(output, metadata, &writer, diag);
    if (!status)
        status = ft_reference_log_create(writer, &log, diag);
    for (size_t i = 0; !status && i < origin_count; i++)
        status = ft_reference_log_origin(log, &origins[i], diag);
    if (!status)
        status = add_all(log, source, progress, diag);
    if (!status)
        status = ft_reference_log_finish(log, "synthesised from smaller sizes, to its end",
                                         metadata, diag);
    ft_reference_log_destroy(log);
    ft_trace_writer_destroy(writer);
    source->destroy(source);
    return status;
}
