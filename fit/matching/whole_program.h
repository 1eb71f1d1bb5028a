/*
 * One histogram for the whole program in place of those of its groups, as Zhong et al. (2007) model
 * it, and as Marin & Mellor-Crummey compare their models of references with. What each place of the
 * program misses is then not known.
 */
#ifndef FT_FIT_MATCHING_WHOLE_PROGRAM_H
#define FT_FIT_MATCHING_WHOLE_PROGRAM_H

#include "fit/matching/match.h"

/* Puts all groups into one, which belongs to the program. */
void ft_match_join(struct ft_match *match, const struct ft_histograms *const *entries);

#endif
