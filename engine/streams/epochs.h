/*
 * Walks a run in epochs at one block size: maximal sequences of iterations in which all references
 * stay in the same blocks. All iterations of an epoch touch the same blocks in the same order, at
 * every larger block size as well.
 *
 * One thread at a time. Addresses are numbers modulo 2^64.
 */
#ifndef FT_ENGINE_STREAMS_EPOCHS_H
#define FT_ENGINE_STREAMS_EPOCHS_H

#include <stdbool.h>

#include "formats/expand/runs.h"

struct ft_epochs {
    unsigned block_shift;
    uint64_t *change; /* per entry of the body: the first iteration that touches other blocks */
    size_t change_capacity;
};

void ft_epochs_fini(struct ft_epochs *epochs);

struct ft_epoch_entry {
    uint64_t address; /* in iteration 0 */
    int64_t stride;
    uint32_t size_bytes; /* at least 1 */
    uint32_t reference;
};

static inline struct ft_epoch_entry ft_epoch_entry(const struct ft_run_source *source,
                                                   const struct ft_run_batch *batch, size_t index)
{
    uint32_t reference = batch->references[index];
    uint32_t size_bytes = source->references[reference].size_bytes;
    return (struct ft_epoch_entry){batch->addresses[index], batch->strides[index],
                                   size_bytes ? size_bytes : 1, reference};
}

/* How many blocks an access covers. */
static inline uint64_t ft_blocks_covered(unsigned block_shift, uint64_t address,
                                         uint32_t size_bytes)
{
    uint64_t first = address >> block_shift;
    uint64_t last = (address + size_bytes - 1) >> block_shift;
    return ((last - first) & (UINT64_MAX >> block_shift)) + 1;
}

/* Call before the first iteration of a run that iterates; false when out of memory. */
bool ft_epochs_start(struct ft_epochs *epochs, const struct ft_run *run);
/* The end of the epoch that starts with `iteration`, and how many blocks an iteration touches. */
uint64_t ft_epochs_end(struct ft_epochs *epochs, const struct ft_run_source *source,
                       const struct ft_run_batch *batch, const struct ft_run *run,
                       uint64_t iteration, uint64_t *ret_blocks);

#endif
