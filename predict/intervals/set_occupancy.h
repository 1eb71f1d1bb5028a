/*
 * How the walk of a group fills the sets of a cache: the blocks that its references touch while the
 * loops around them run through, by how many of them share a set. A stride of s lines reaches S /
 * gcd(S, s) of S sets, and references that begin a multiple of S lines apart reach the same ones.
 */
#ifndef FT_PREDICT_INTERVALS_SET_OCCUPANCY_H
#define FT_PREDICT_INTERVALS_SET_OCCUPANCY_H

#include "fit/evaluate/stride_law.h"
#include "machines/machine.h"

/* How blocks are taken to fall into sets. */
enum ft_set_spread {
    FT_SET_SPREAD_EXPECTED, /* as they did at the training sizes, where that is known; at random */
    FT_SET_SPREAD_BEST,     /* the fewest misses that samples and strides allow */
    FT_SET_SPREAD_WORST,    /* the most */
};

#define FT_WALKS_MAX (FT_STRIDE_LOOPS_MAX + 1U)

/* Of the loops inside some loop; first of none of them, which is one iteration. */
struct ft_set_walk {
    double blocks;       /* distinct ones */
    double sets_reached; /* of them all */
    double *shares; /* [ways + 2]: of the blocks, those in sets with so many; last: with more */
};

struct ft_set_occupancy {
    struct ft_set_walk walks[FT_WALKS_MAX]; /* by ascending blocks */
    size_t walk_count;                      /* 0: strides are not known */
    double stride_bytes;                    /* of the innermost loop that moves */
    double *room;
};

/* References whose places do not follow from the training sizes begin on the set of the first one.
 */
int ft_set_occupancy_init(struct ft_set_occupancy *occupancy, const struct ft_model *model,
                          size_t group, const struct ft_level *level, const struct ft_point *at,
                          struct ft_diag *diag);
void ft_set_occupancy_fini(struct ft_set_occupancy *occupancy);

#endif
