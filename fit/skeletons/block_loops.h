/*
 * Heap blocks of which there are more at larger sizes, such as the rows of a matrix that are
 * allocated one by one: the calls of allocation functions folded into loops, as accesses are
 * (engine/skeleton/folding.h), whose numbers follow laws of the size.
 */
#ifndef FT_FIT_SKELETONS_BLOCK_LOOPS_H
#define FT_FIT_SKELETONS_BLOCK_LOOPS_H

#include "fit/skeletons/block_training.h"
#include "fit/skeletons/law_search.h"

/* Sets the loops, up to the first call without a law. No loops: not even the first one has. */
int ft_block_loops_learn(const struct ft_block_training *training, struct ft_law_search *search,
                         struct ft_block_loops *ret_loops, struct ft_diag *diag);

/* Calls at a size, in order. */
struct ft_block_calls {
    struct ft_block_events events; /* at no addresses */
    uint32_t *tokens;              /* [event]: of the loops' nest */
    size_t token_capacity;
};
void ft_block_calls_fini(struct ft_block_calls *calls);
/* FT_ERROR_USAGE: there are too many, or blocks are too large. */
int ft_block_loops_at(const struct ft_block_loops *loops, double size,
                      struct ft_block_calls *ret_calls, struct ft_diag *diag);

#endif
