/*
 * The skeleton of a program as a function of the size (docs/skeleton.md, "Other sizes"): that of
 * the largest training size, whose numbers change by exact polynomials of the size. Polynomials are
 * confirmed by at least one size more than they are determined by. Parts that are not in all
 * skeletons, or have a number without a law, stay as they were recorded.
 */
#ifndef FT_FIT_SKELETONS_SIZED_SKELETON_H
#define FT_FIT_SKELETONS_SIZED_SKELETON_H

#include "engine/skeleton/trace_skeleton.h"
#include "fit/skeletons/block_laws.h"
#include "fit/skeletons/size_law.h"

/* What is added to a number of the nest. */
struct ft_sized_number {
    size_t number;
    double coefficients[FT_SIZED_COEFFICIENTS];
};

struct ft_sized_skeleton {
    double *sizes; /* ascending */
    size_t size_count;
    struct ft_skeleton largest; /* with places (heap_blocks.h), of one thread */
    struct ft_sized_number *numbers;
    size_t number_count;
    bool *is_sized; /* [token]: leaves that follow laws */
    struct ft_block_laws blocks;
};

/* skeletons: [size_count], with places, in any order of their sizes; moved out of on success. At
 * least three sizes. */
int ft_sized_skeleton_learn(struct ft_skeleton *skeletons, const double *sizes, size_t size_count,
                            struct ft_sized_skeleton *ret_sized, struct ft_diag *diag);
void ft_sized_skeleton_fini(struct ft_sized_skeleton *sized);

/* Whether laws of the training sizes hold at a size: where these differ by multiples of a number,
 * loops that take several elements at a time have no remainders, or always the same. The next
 * smaller size at which they hold is *ret_near. */
bool ft_sized_skeleton_reaches(const struct ft_sized_skeleton *sized, double size,
                               double *ret_near);
/* The nest at a size, the caller's, and where its blocks are, [block of the largest], to be
 * freed. */
int ft_sized_skeleton_at(const struct ft_sized_skeleton *sized, double size,
                         struct ft_nest *ret_nest, uint64_t **ret_addresses, struct ft_diag *diag);

#endif
