/*
 * A small input that stands for a larger one (Zhong et al. 2007, section 4.3.2): the smallest size
 * after the knees that has the miss ratios of a reference size in all caches at once.
 *
 * Ratios are alike if they differ by at most `within` of the reference's, or by a thousandth.
 * Curves must have been sampled with a resolution of half of that or better.
 */
#ifndef FT_PREDICT_QUERY_MINI_REF_H
#define FT_PREDICT_QUERY_MINI_REF_H

#include "predict/query/miss_curve.h"

/* Whether a sample's ratios are alike those of a reference in all caches. */
bool ft_miss_ratios_alike(const struct ft_miss_curve *curve, const double *sample,
                          const double *reference, double within);

/* The smallest size of which and of all sizes up to `reference` (in the line) the ratios are alike
 * those of the reference. */
int ft_mini_ref(struct ft_miss_curve *curve, double reference, double within, double *ret_size,
                struct ft_diag *diag);

#endif
