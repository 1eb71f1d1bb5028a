/*
 * Intervals of all figures of a prediction (interval.h): the same figures are reckoned from every
 * replica of the model, and otherwise: for capacities smaller and larger, and from each method of
 * the ensemble alone.
 */
#ifndef FT_PREDICT_SPREAD_H
#define FT_PREDICT_SPREAD_H

#include "formats/model/asked_size.h"
#include "predict/figures.h"
#include "predict/intervals/interval.h"

/* Of nested figures, nested[scope * width + column], an interval each; NAN where the model has no
 * replicas. size: what the figures are at, which replicas may see elsewhere. */
int ft_spread_intervals(const struct ft_figures *figures, const struct ft_asked_size *size,
                        const double *nested, struct ft_interval *ret_intervals,
                        struct ft_diag *diag);

#endif
