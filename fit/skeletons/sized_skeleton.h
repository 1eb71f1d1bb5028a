/*
 * Learns the skeleton of a program as a function of the size (formats/skeleton/sized_skeleton.h)
 * from those of its traces, and evaluates it. Laws are confirmed by at least one size more than
 * they are determined by (law_search.h).
 */
#ifndef FT_FIT_SKELETONS_SIZED_SKELETON_H
#define FT_FIT_SKELETONS_SIZED_SKELETON_H

#include "formats/skeleton/sized_skeleton.h"

/* skeletons: [size_count], with places, in any order of their sizes. At least three sizes. */
int ft_sized_skeleton_learn(const struct ft_skeleton *const *skeletons, const double *sizes,
                            size_t size_count, struct ft_sized_skeleton *ret_sized,
                            struct ft_diag *diag);

/* Whether laws of the training sizes hold at a size: where these differ by multiples of a number,
 * loops that take several elements at a time have no remainders, or always the same; and where
 * they mix residues, it may have one between whose neighbours a loop starts to have a remainder.
 * The next smaller size at which they hold is *ret_near. */
bool ft_sized_skeleton_reaches(const struct ft_sized_skeleton *sized, double size,
                               double *ret_near);
/* The nest at a size, the caller's, and where its blocks are, [block of the largest], to be
 * freed. */
int ft_sized_skeleton_at(const struct ft_sized_skeleton *sized, double size,
                         struct ft_nest *ret_nest, struct ft_placed_block **ret_blocks,
                         struct ft_diag *diag);

#endif
