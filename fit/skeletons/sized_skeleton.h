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

/* Whether laws of the training sizes hold at a size: they do where one of these has its residue
 * modulo each period of a law, and modulo each that what they differ by multiples of may hide
 * (element_periods.h). Elsewhere a loop that takes several elements at a time may leave others
 * over, or start to. Laws with logarithms are of sizes that double, and hold at those; those of
 * levels up to a last one. */
struct ft_unknown_residue {
    bool is_no_doubled; /* and it is none */
    double last;        /* INFINITY: there are no levels */
    double modulus;     /* one of them, of which none has the size's; 0: the laws hold */
    double near; /* the next smaller size at which they hold, or else the largest that they were
                    learned from */
};
bool ft_sized_skeleton_reaches(const struct ft_sized_skeleton *sized, double size,
                               struct ft_unknown_residue *ret_unknown);
/* The nest at a size, the caller's, and where its blocks are, [block, as the size numbers them], to
 * be freed. */
int ft_sized_skeleton_at(const struct ft_sized_skeleton *sized, double size,
                         struct ft_nest *ret_nest, struct ft_placed_block **ret_blocks,
                         uint32_t *ret_block_count, struct ft_diag *diag);

#endif
