/*
 * Intervals of figures that a model forecasts at a point (interval.h): whatever can be computed
 * from a model is computed from every replica of it, and otherwise: for capacities smaller and
 * larger, and from each method of the ensemble alone. One place for all that is forecast:
 * `predict` and `query` say what a figure is and how it is computed.
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
