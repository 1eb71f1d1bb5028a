/*
 * Rows: consecutive parts of a batch of runs that touch the same blocks in the same order, as the
 * iterations of an outer loop do that moves its inner loop by less than a block. From the second
 * row on every touch has the same reuse distance as in the row before, so the second row can count
 * for all later ones (docs/replay.md, "Rows").
 *
 * An item is a body that iterates, or an entry of one that does not.
 */
#ifndef FT_ENGINE_REUSE_STACKS_ROWS_H
#define FT_ENGINE_REUSE_STACKS_ROWS_H

#include <stdbool.h>

#include "engine/reuse/stacks/replay.h"

/* The position of an item in a batch; run == run_count: the end. */
struct ft_batch_position {
    size_t run;
    uint32_t entry;
};

struct ft_rows {
    size_t items;   /* per row */
    uint64_t count; /* rows, at least 3; 0: none */
};

/* The next item. */
static inline void ft_batch_advance(const struct ft_run_batch *batch,
                                    struct ft_batch_position *position)
{
    const struct ft_run *run = &batch->runs[position->run];
    if (run->iteration_count == 1 && position->entry + 1 < run->reference_count) {
        position->entry++;
    } else {
        position->run++;
        position->entry = 0;
    }
}

/* The rows that start at an item. They touch the same blocks of the smallest size, hence of all
 * sizes. Iterations of a body times rows stay below 2^31. If scopes are followed, the steps are the
 * same as well; but a row may end in other activations than it started in. */
struct ft_rows ft_rows_find(const struct ft_replay *replay, const struct ft_run_batch *batch,
                            struct ft_batch_position position);

/* How many entries of the run, from this position on, start no rows; at least 1. */
uint32_t ft_rows_none_before(const struct ft_replay *replay, const struct ft_run_batch *batch,
                             struct ft_batch_position position);

#endif
