#include "tests/support/run_accesses.h"

void visit_batch(const struct ft_run_batch *batch, access_visitor *visit, void *context)
{
    for (size_t r = 0; r < batch->run_count; r++)
        for (uint64_t i = 0; i < batch->runs[r].iteration_count; i++)
            for (uint32_t j = 0; j < batch->runs[r].reference_count; j++) {
                size_t entry = batch->runs[r].first + j;
                visit(context, batch->references[entry],
                      batch->addresses[entry] + i * (uint64_t)batch->strides[entry]);
            }
}

void visit_accesses(struct ft_run_source *source, access_visitor *visit, void *context)
{
    struct ft_run_batch batch;
    while (source->next(source, &batch, NULL) == FT_OK && batch.run_count > 0)
        visit_batch(&batch, visit, context);
}
