/*
 * All runs stay, if need be without entries. Strides are copied as they are, also where they mean
 * nothing.
 */
#include "engine/replay/needed_steps.h"

#include <stdlib.h>

#include "formats/base/array.h"

static bool is_needed(uint32_t first, const struct ft_scope_steps *steps, uint32_t reference)
{
    return reference < first || (steps && !steps->steps[reference - first].is_passed);
}

int ft_needed_steps_keep(struct ft_needed_steps *needed, uint32_t first_step,
                         const struct ft_scope_steps *steps, const struct ft_run_batch *batch,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    if (!FT_RESERVE(needed->runs, needed->run_capacity, batch->run_count + 1) ||
        !FT_RESERVE(needed->references, needed->reference_capacity, batch->entry_count + 1) ||
        !FT_RESERVE(needed->addresses, needed->address_capacity, batch->entry_count + 1) ||
        !FT_RESERVE(needed->strides, needed->stride_capacity, batch->entry_count + 1))
        return ft_fail_memory(diag, "a batch of runs");
    size_t count = 0;
    for (size_t i = 0; i < batch->run_count; i++) {
        const struct ft_run *run = &batch->runs[i];
        const size_t first = count;
        for (size_t j = run->first; j < run->first + run->reference_count; j++) {
            needed->references[count] = batch->references[j];
            needed->addresses[count] = batch->addresses[j];
            needed->strides[count] = batch->strides[j];
            count += is_needed(first_step, steps, batch->references[j]);
        }
        needed->runs[i] = (struct ft_run){first, (uint32_t)(count - first), run->iteration_count};
    }
    *ret_batch = *batch;
    ret_batch->runs = needed->runs;
    ret_batch->references = needed->references;
    ret_batch->addresses = needed->addresses;
    ret_batch->strides = needed->strides;
    ret_batch->entry_count = count;
    return FT_OK;
}

void ft_needed_steps_fini(struct ft_needed_steps *needed)
{
    free(needed->runs);
    free(needed->references);
    free(needed->addresses);
    free(needed->strides);
    *needed = (struct ft_needed_steps){0};
}
