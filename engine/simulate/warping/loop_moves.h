/*
 * How the blocks of a cache move with the iterations of a loop of a nest: the shortest period after
 * which each has moved by an integer number of them, and so that blocks of a set stay together.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_LOOP_MOVES_H
#define FT_ENGINE_SIMULATE_WARPING_LOOP_MOVES_H

#include "engine/simulate/warping/block_moves.h"
#include "engine/skeleton/nest_hulls.h"
#include "engine/skeleton/placing.h"
#include "formats/expand/runs.h"

struct ft_loop_accesses {
    const struct ft_nest_hull *hulls; /* places, in the iteration at hand */
    size_t count;
    uint64_t done, left; /* iterations before that one, and from it on */
    const struct ft_places *places;
    const struct ft_reference *references;
    bool may_rotate; /* sets may become others */
};

/* False where there is no period of less than a third of the iterations left, or where blocks would
 * have to move in two ways. Ranges of ret_moves are used again: ft_block_moves_fini frees them. */
bool ft_loop_moves_find(const struct ft_loop_accesses *accesses, uint64_t block_bytes,
                        uint64_t sets, struct ft_block_moves *ret_moves, bool *ret_has_memory);
void ft_block_moves_fini(struct ft_block_moves *moves);

#endif
