/*
 * Groups that only together are functions of the size. A routine such as memcpy has a path for each
 * range of lengths: which path copies a row changes with the size, what the routine does in all of
 * them grows evenly. Each path by itself scatters, and no function forecasts it.
 */
#ifndef FT_FIT_MATCHING_JOIN_GROUPS_H
#define FT_FIT_MATCHING_JOIN_GROUPS_H

#include "fit/functions/counts.h"
#include "fit/matching/match.h"

/* Joins, in each routine, the groups whose accesses scatter into one, where the accesses of all of
 * them scatter much less. It is the routine's (`rest`). */
int ft_join_scattered(struct ft_match *match, const struct ft_histograms *const *entries,
                      struct ft_fitter *fitter, struct ft_diag *diag);

#endif
