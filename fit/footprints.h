/*
 * How many blocks a program touches, as functions of the size, and which groups touch them first.
 *
 * Every block is cold once, so the cold touches of all groups make up the footprint. It is smoother
 * than they are: which code touches a block first changes with the size, the number of blocks does
 * not. A few large blocks do not show how their number grows; but data fill large blocks as they
 * fill small ones, so it follows from the number of smaller blocks.
 */
#ifndef FT_FIT_FOOTPRINTS_H
#define FT_FIT_FOOTPRINTS_H

#include "fit/functions/counts.h"
#include "formats/model/model.h"

/* What the footprint at one block size is made of. */
struct ft_footprint {
    struct ft_function blocks;
    size_t follows; /* the smaller block size whose blocks it follows; FT_OWN_LAW: none */
    double share;   /* of a block of this size that one of the smaller ones takes */
};

#define FT_OWN_LAW SIZE_MAX

/* The footprint at block size `size`, once those at all smaller ones are fitted: `blocks` are the
 * distinct blocks at each training size, [block size][training size]. */
void ft_footprint_fit(struct ft_fitter *fitter, const double *blocks, const uint64_t *block_bytes,
                      size_t size, struct ft_footprint *footprints);

/* A group's cold touches where the footprint follows that of a smaller size: those that its cold
 * touches at that size do not explain. ft_footprints_resolve adds the explained ones. */
struct ft_function ft_cold_unexplained(const struct ft_footprint *footprint, const double *cold,
                                       const double *smaller_cold, size_t count);

/* Makes the cold touches of a model's groups add up to the footprint, at all block sizes: where
 * that follows a smaller size, so do each group's. Otherwise the difference is given to the groups
 * whose cold touches are not exact, in proportion to their uncertainty, as far as their touches
 * allow. */
int ft_footprints_resolve(struct ft_model *model, const struct ft_footprint *footprints,
                          const struct ft_axis *axis, struct ft_diag *diag);

#endif
