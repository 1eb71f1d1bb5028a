/*
 * All runs stay, even if they become empty. Strides are copied even if they are meaningless.
 */
#include "engine/reuse/stacks/without_steps.h"

#include <stdlib.h>

#include "formats/base/array.h"

int ft_without_steps_take(struct ft_without_steps *without, uint32_t first_step,
                          const struct ft_run_batch *batch, struct ft_run_batch *ret_batch,
                          struct ft_diag *diag)
{
    if (!FT_RESERVE(without->runs, without->run_capacity, batch->run_count + 1) ||
        !FT_RESERVE(without->references, without->reference_capacity, batch->entry_count + 1) ||
        !FT_RESERVE(without->addresses, without->address_capacity, batch->entry_count + 1) ||
        !FT_RESERVE(without->strides, without->stride_capacity, batch->entry_count + 1))
        return ft_fail_memory(diag, "a batch of runs");
    size_t count = 0;
    for (size_t i = 0; i < batch->run_count; i++) {
        const struct ft_run *run = &batch->runs[i];
        const size_t first = count;
        for (size_t j = run->first; j < run->first + run->reference_count; j++) {
            without->references[count] = batch->references[j];
            without->addresses[count] = batch->addresses[j];
            without->strides[count] = batch->strides[j];
            count += batch->references[j] < first_step;
        }
        without->runs[i] = (struct ft_run){first, (uint32_t)(count - first), run->iteration_count};
    }
    *ret_batch = *batch;
    ret_batch->runs = without->runs;
    ret_batch->references = without->references;
    ret_batch->addresses = without->addresses;
    ret_batch->strides = without->strides;
    ret_batch->entry_count = count;
    return FT_OK;
}

void ft_without_steps_fini(struct ft_without_steps *without)
{
    free(without->runs);
    free(without->references);
    free(without->addresses);
    free(without->strides);
    *without = (struct ft_without_steps){0};
}
