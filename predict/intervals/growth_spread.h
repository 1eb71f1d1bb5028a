/*
 * Copies of a model with as few, or as many, accesses and executions as any law that fits the
 * training counts nearly as well: the terms of a function are not known better than that. From 5
 * sizes up to 1,100, N^2 + N and N log N + N are both within 0.3 % of a tree's accesses, but a
 * quarter apart at 4,000. (Seber & Lee 2003, section 5.3, for the interval of one law.)
 */
#ifndef FT_PREDICT_INTERVALS_GROWTH_SPREAD_H
#define FT_PREDICT_INTERVALS_GROWTH_SPREAD_H

#include "predict/intervals/perturbed_model.h"

/* At the point `at` alone. Functions that are exact stay as they are, and those that scatter, whose
 * growth is chosen otherwise (fit/functions/counts.h); and so do all of a model over several
 * parameters, or of one of these at a value of the others. Histograms are the model's. */
int ft_growth_spread(const struct ft_model *model, const struct ft_point *at,
                     struct ft_perturbed_model *ret_slow, struct ft_perturbed_model *ret_fast,
                     struct ft_diag *diag);

#endif
