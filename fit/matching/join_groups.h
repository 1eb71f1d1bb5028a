/*
 * Groups that are functions of the size only together. A routine such as memcpy has a path for each
 * range of lengths: which path copies a row changes with the size, while their sum grows evenly.
 * Each path by itself scatters, and no function forecasts it.
 */
#ifndef FT_FIT_MATCHING_JOIN_GROUPS_H
#define FT_FIT_MATCHING_JOIN_GROUPS_H

#include "fit/functions/counts.h"
#include "fit/matching/match.h"

/* In each routine, joins the groups whose accesses scatter into one, if the accesses of all of them
 * together scatter much less. It is the routine's remainder (`rest`). */
int ft_join_scattered(struct ft_match *match, const struct ft_histograms *const *entries,
                      struct ft_fitter *fitter, struct ft_diag *diag);

#endif
