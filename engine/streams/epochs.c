/* For each reference the iteration is kept in which it leaves its blocks; the least ends the epoch.
 */
#include "engine/streams/epochs.h"

#include <stdlib.h>

#include "formats/base/array.h"

void ft_epochs_fini(struct ft_epochs *epochs)
{
    free(epochs->change);
    epochs->change = NULL;
    epochs->change_capacity = 0;
}

/* In how many iterations an access at `address` leaves its first or its last block, at least 1. */
static uint64_t iterations_to_change(unsigned block_shift, const struct ft_epoch_entry *entry,
                                     uint64_t address)
{
    uint64_t mask = (UINT64_C(1) << block_shift) - 1;
    uint64_t low = address & mask, high = (address + entry->size_bytes - 1) & mask;
    if (entry->stride == 0)
        return UINT64_MAX;
    if (entry->stride > 0) {
        uint64_t room = mask - (low > high ? low : high), step = (uint64_t)entry->stride;
        return step > room ? 1 : room / step + 1;
    }
    uint64_t room = low < high ? low : high, step = -(uint64_t)entry->stride;
    return step > room ? 1 : room / step + 1;
}

bool ft_epochs_start(struct ft_epochs *epochs, const struct ft_run *run)
{
    if (!FT_RESERVE(epochs->change, epochs->change_capacity, run->reference_count))
        return false;
    for (uint32_t j = 0; j < run->reference_count; j++)
        epochs->change[j] = 0;
    return true;
}

uint64_t ft_epochs_end(struct ft_epochs *epochs, const struct ft_run_source *source,
                       const struct ft_run_batch *batch, const struct ft_run *run,
                       uint64_t iteration, uint64_t *ret_blocks)
{
    uint64_t end = run->iteration_count, blocks = 0;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct ft_epoch_entry entry = ft_epoch_entry(source, batch, run->first + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        if (epochs->change[j] <= iteration) {
            uint64_t count = iterations_to_change(epochs->block_shift, &entry, address);
            epochs->change[j] = count > UINT64_MAX - iteration ? UINT64_MAX : iteration + count;
        }
        if (epochs->change[j] < end)
            end = epochs->change[j];
        blocks += ft_blocks_covered(epochs->block_shift, address, entry.size_bytes);
    }
    *ret_blocks = blocks;
    return end;
}
