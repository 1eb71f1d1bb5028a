/*
 * Data that do not grow: those of start-up and of libraries, tens of kilobytes in any process.
 * Loops over arrays follow powers of the data that grow, s - c, such as (s - c)^1.5 of a matrix
 * product; over s itself they are sums of many powers, which a few sizes do not determine
 * (docs/fit.md, "Data size").
 */
#ifndef FT_FIT_DATA_ORIGIN_H
#define FT_FIT_DATA_ORIGIN_H

#include "fit/matching/match.h"

/* ret_bytes: of the blocks of the smallest size that are touched first by groups whose first
 * touches are the same at all sizes; 0 where hardly any others are touched at the smallest training
 * size. */
int ft_data_origin(const struct ft_match *match, const struct ft_histograms *const *entries,
                   double *ret_bytes, struct ft_diag *diag);

#endif
