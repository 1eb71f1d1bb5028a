/*
 * Intervals of what a model forecasts at a point (interval.h): every number is also computed from
 * each replica of the model, and from each perturbation of it. Used by `predict` and `query` alike,
 * which describe their numbers and how to compute them in a task (spread_task.h).
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_SPREAD_H
#define FT_PREDICT_INTERVALS_SPREAD_H

#include "predict/intervals/interval.h"
#include "predict/intervals/spread_task.h"

/* rows: of the model itself. One interval per number; both ends are NAN if the model has no
 * replicas. Those of misses presume the accesses. ret_misfits, unless it is NULL: of each number
 * the logarithm of the factor by which the functions of accesses and executions miss the training
 * counts. */
int ft_spread_intervals(const struct ft_spread_task *task, const double *rows, double *ret_misfits,
                        struct ft_interval *ret_intervals, struct ft_diag *diag);

/* Of a row: where not even its accesses are known, nothing is known of what they miss. */
void ft_spread_doubt_misses(const struct ft_spread_task *task, const double *row,
                            struct ft_interval *intervals);

#endif
