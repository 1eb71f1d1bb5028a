/*
 * A source of runs at places (formats/skeleton/places.h) as one at addresses, for given blocks and
 * stack. What is far outside of its block, as numbers drawn at random may be, goes around in it. A
 * run that leaves its block is split into its iterations.
 */
#ifndef FT_ENGINE_SKELETON_PLACED_SOURCE_H
#define FT_ENGINE_SKELETON_PLACED_SOURCE_H

#include "formats/expand/runs.h"
#include "formats/skeleton/places.h"

struct ft_places {
    const struct ft_placed_block *blocks; /* [block] */
    uint32_t block_count;
    uint64_t stack; /* the stack pointer at the start */
};

/* Takes `places_source` over, also where it fails; the arrays of places stay the caller's. */
int ft_placed_source_create(struct ft_run_source *places_source, const struct ft_places *places,
                            struct ft_run_source **ret_source, struct ft_diag *diag);

#endif
