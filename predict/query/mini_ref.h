/*
 * Small inputs that stand for larger ones (Zhong et al. 2007, section 4.3.2): the smallest size
 * after the knees that has the miss ratios of a reference size in all caches at once; and the
 * smallest inputs of a set of programs that show all their miss ratios.
 *
 * Ratios are alike if they differ by at most `within` of the larger size's, or by SMALL. Curves
 * must have been sampled with a resolution of half of that or better.
 */
#ifndef FT_PREDICT_QUERY_MINI_REF_H
#define FT_PREDICT_QUERY_MINI_REF_H

#include "predict/query/miss_curve.h"

/* The smallest size of which and of all sizes up to `reference` (in the line) the ratios are alike
 * those of the reference. */
int ft_mini_ref(struct ft_miss_curve *curve, double reference, double within, double *ret_size,
                struct ft_diag *diag);

#endif
