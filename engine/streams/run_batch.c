/* Simulators index by what a batch says without looking again: a bad one ends here. */
#include "engine/streams/run_batch.h"

int ft_run_batch_check(const struct ft_run_source *source, const struct ft_run_batch *batch,
                       struct ft_diag *diag)
{
    for (size_t i = 0; i < batch->run_count; i++) {
        const struct ft_run *run = &batch->runs[i];
        if (run->first > batch->entry_count ||
            run->reference_count > batch->entry_count - run->first)
            return ft_fail(diag, FT_ERROR_DATA, "a run lies outside its batch");
    }
    for (size_t i = 0; i < batch->entry_count; i++)
        if (batch->references[i] >= source->reference_count)
            return ft_fail(diag, FT_ERROR_DATA, "a run names an unknown reference");
    return FT_OK;
}

uint64_t ft_run_batch_count(const struct ft_run_batch *batch, uint64_t *accesses)
{
    uint64_t total = 0;
    for (size_t i = 0; i < batch->run_count; i++) {
        const struct ft_run *run = &batch->runs[i];
        for (uint32_t j = 0; j < run->reference_count; j++)
            accesses[batch->references[run->first + j]] += run->iteration_count;
        total += run->reference_count * run->iteration_count;
    }
    return total;
}
