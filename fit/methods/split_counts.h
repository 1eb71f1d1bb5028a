/*
 * Recursive splitting by the rule of Marin & Mellor-Crummey 2004, section 2.3.2: as by that of 2005
 * (split_bins.h), but then neighbouring bins with similar distances are merged, and each bin has
 * functions of its own, for its touches and its distance.
 */
#ifndef FT_FIT_METHODS_SPLIT_COUNTS_H
#define FT_FIT_METHODS_SPLIT_COUNTS_H

#include "fit/methods/method.h"

extern const struct ft_fit_method ft_split_counts_method; /* "split-2004" */

#endif
