/*
 * What a repetition adds to the counts of a replay, so that it need not be taken again to be
 * counted: noted before it, measured after it, added as often as it comes. All batches must be
 * flushed where it begins and where it ends.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPEATED_COUNTS_H
#define FT_ENGINE_REUSE_STACKS_REPEATED_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/reuse/stacks/replay.h"

/* Counters as they were, later what was added to them. */
struct ft_counted {
    uint64_t *items;
    size_t count;
};

#define FT_COUNTED_ARRAYS (4 + FT_BLOCK_SIZES_MAX)

/* All zero before the first use; may be used again and again. */
struct ft_repeated_counts {
    struct ft_counted arrays[FT_COUNTED_ARRAYS]; /* those of the replay, in a fixed order */
    struct ft_counted references;                /* of each in turn: accesses, repeats */
};

/* Counters that will be copied; what follows costs time for each. */
uint64_t ft_repeated_counters(struct ft_replay *replay);
int ft_repeated_counts_note(struct ft_repeated_counts *counts, struct ft_replay *replay,
                            struct ft_diag *diag);
int ft_repeated_counts_measure(struct ft_repeated_counts *counts, struct ft_replay *replay,
                               struct ft_diag *diag);
void ft_repeated_counts_add(const struct ft_repeated_counts *counts, struct ft_replay *replay,
                            uint64_t times);
uint64_t ft_repeated_counts_bytes(const struct ft_repeated_counts *counts);
void ft_repeated_counts_fini(struct ft_repeated_counts *counts);

#endif
