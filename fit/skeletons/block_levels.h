/*
 * Heap blocks of levels (level_lists.h), such as those of grids each of which has half as many
 * points: as many more at each doubling of the size, allocated one level behind the other, and
 * freed so, in either order of the levels, or never.
 */
#ifndef FT_FIT_SKELETONS_BLOCK_LEVELS_H
#define FT_FIT_SKELETONS_BLOCK_LEVELS_H

#include "fit/skeletons/block_training.h"
#include "fit/skeletons/law_search.h"

/* Sets the events, of sizes far beyond the largest, too, up to one without a law, and how many
 * blocks they have; those of the largest size come first. No events: the heaps differ otherwise. */
int ft_block_levels_learn(const struct ft_block_training *training, struct ft_law_search *search,
                          struct ft_block_laws *laws, struct ft_diag *diag);

#endif
