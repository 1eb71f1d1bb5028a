/*
 * Whether the strides of a series of builds follow the size. Where sizes are fixed at compile time
 * a stride is a constant of each build, and counts are functions of the size only as far as strides
 * are: an array that is padded at some sizes, or has a fixed dimension, has rows that start at
 * other offsets in their lines than the size suggests (docs/fit.md, "Several builds").
 */
#ifndef FT_FIT_MATCHING_SERIES_STRIDES_H
#define FT_FIT_MATCHING_SERIES_STRIDES_H

#include "fit/functions/axis.h"
#include "fit/matching/match.h"

struct ft_series_strides {
    double known;                 /* share of the accesses at the largest size: of groups that
                                     have numbers for strides at each size, in some loop */
    double strange;               /* of these: whose strides are no polynomial of the size */
    const struct ft_scope *scope; /* of the heaviest of those, in the last entry; NULL: none */
    uint32_t line;
    int64_t strides[FT_TRAINING_MAX]; /* its strides in a loop, bytes */
};

/* What a fit finds of a series of builds. */
struct ft_series_notes {
    size_t builds; /* 1: all sizes are of one */
    struct ft_series_strides strides;
};

/* values: the sizes, ascending. Points into the last entry. */
int ft_series_strides_find(const struct ft_match *match, const struct ft_histograms *const *entries,
                           const double *values, struct ft_series_strides *ret_strides,
                           struct ft_diag *diag);

/* Whether strides lie on a polynomial of the size, confirmed by at least one size more than it
 * needs. */
bool ft_strides_follow(const double *values, const int64_t *strides, size_t count);

#endif
