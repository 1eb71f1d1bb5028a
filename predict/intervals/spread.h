/*
 * Intervals of what a model forecasts at a point (interval.h): every number is computed from each
 * replica of the model as well, and from each perturbation of it: smaller and larger capacities,
 * each method of the ensemble alone. One place for `predict` and `query`, which say what the
 * numbers are and how to compute them.
 *
 * Figures are numbers in rows of `width` columns; column 0 of a row is the accesses that its
 * others are of. Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_SPREAD_H
#define FT_PREDICT_INTERVALS_SPREAD_H

#include "predict/intervals/interval.h"
#include "predict/intervals/spread_task.h"

/* rows: of the model itself. An interval each, of which the ends are NAN where the model has no
 * replicas. */
int ft_spread_intervals(const struct ft_spread_task *task, const double *rows,
                        struct ft_interval *ret_intervals, struct ft_diag *diag);

#endif
