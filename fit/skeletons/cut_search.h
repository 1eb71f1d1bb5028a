/*
 * Loops that need not be irregular as a whole: what of their iterations progresses is found, and
 * the rest cut off (engine/skeleton/iteration_cut.h), such as the swap of rows in a decomposition.
 * A cut is taken if with it the loop folds at all training sizes, and its iterations follow a law.
 */
#ifndef FT_FIT_SKELETONS_CUT_SEARCH_H
#define FT_FIT_SKELETONS_CUT_SEARCH_H

#include "engine/skeleton/iteration_cut.h"
#include "fit/skeletons/drawn_laws.h"
#include "fit/skeletons/loop_contexts.h"

/* How a loop is cut, by the ids of the largest size. */
struct ft_sized_cut {
    uint64_t context;
    struct ft_iteration_cut cut;
};
struct ft_sized_cuts {
    struct ft_sized_cut *cuts;
    size_t count, capacity;
};
void ft_sized_cuts_fini(struct ft_sized_cuts *cuts);

/* Moves loops that can be cut from those that are irregular. Loops that turn out to be regular are
 * left out; and, for now, those that others are inside, as these may change what they do. */
int ft_sized_cuts_find(const struct ft_drawn_training *training, struct ft_loop_contexts *irregular,
                       struct ft_sized_cuts *cuts, struct ft_diag *diag);

/* A cut by the ids of a size, [size] of the training. False: out of memory. */
bool ft_sized_cut_at(const struct ft_drawn_training *training, size_t size,
                     const struct ft_iteration_cut *cut, struct ft_iteration_cut *ret_cut);

#endif
