/*
 * Rows: segments of a batch of runs that follow each other and touch the same blocks in the same
 * order, as the iterations of an outer loop do whose index moves its inner loop by less than a
 * block. Each touch of the third row and of later ones finds its block where the two rows before
 * left it, as each touch of the second does: so the second may count for all of them
 * (docs/replay.md, "Rows").
 *
 * An item is a body that iterates, or an entry of one that does not.
 */
#ifndef FT_ENGINE_REUSE_STACKS_ROWS_H
#define FT_ENGINE_REUSE_STACKS_ROWS_H

#include <stdbool.h>

#include "engine/reuse/stacks/replay.h"

/* An item of a batch; run == run_count: the end. */
struct ft_batch_place {
    size_t run;
    uint32_t entry;
};

struct ft_rows {
    size_t items;   /* of a row */
    uint64_t count; /* rows, at least 3; 0: there are none */
};

/* The next item. */
static inline void ft_batch_advance(const struct ft_run_batch *batch, struct ft_batch_place *place)
{
    const struct ft_run *run = &batch->runs[place->run];
    if (run->iteration_count == 1 && place->entry + 1 < run->reference_count) {
        place->entry++;
    } else {
        place->run++;
        place->entry = 0;
    }
}

/* The rows that begin with an item. Blocks are those of the smallest size; so the larger ones are
 * the same, too. Iterations of a body times rows stay below 2^31. Where scopes are followed, the
 * steps are the same, too; but a row may leave other activations than it found. */
struct ft_rows ft_rows_find(const struct ft_replay *replay, const struct ft_run_batch *batch,
                            struct ft_batch_place place);

/* Entries of the place's run, from it on, with which no rows begin, at least 1. */
uint32_t ft_rows_none_before(const struct ft_replay *replay, const struct ft_run_batch *batch,
                             struct ft_batch_place place);

#endif
