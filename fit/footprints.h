/*
 * How many blocks a program touches, as functions of the size, and which groups touch them first.
 *
 * Every block is cold once, so the cold touches of all groups make the footprint. It is smoother
 * than they are: which code is the first to come to a block changes with the size, their number
 * does not. And from a few large blocks nobody can tell how their number grows; but data fill large
 * blocks as they fill small ones, so it follows from that of smaller blocks.
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

/* The footprint at block size `size`, those at all smaller ones being fitted already: `blocks` are
 * the distinct blocks at each training size, [block size][training size]. */
void ft_footprint_fit(struct ft_fitter *fitter, const double *blocks, const uint64_t *block_bytes,
                      size_t size, struct ft_footprint *footprints);

/* A group's cold touches where the footprint follows that of a smaller size: what its cold touches
 * at that size do not explain. ft_footprints_resolve adds what they do. */
struct ft_function ft_cold_unexplained(const struct ft_footprint *footprint, const double *cold,
                                       const double *smaller_cold, size_t count);

/* Makes the cold touches of a model's groups the footprint's, at all block sizes: where these
 * follow a smaller size, each group's follow its own there. Else what is missing is given to the
 * groups whose cold touches are not exact, the more the worse they are known, as far as their
 * touches allow. */
int ft_footprints_resolve(struct ft_model *model, const struct ft_footprint *footprints,
                          const struct ft_axis *axis, struct ft_diag *diag);

#endif
