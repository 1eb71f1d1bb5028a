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

/* What of a number's interval is known by itself. */
struct ft_spread_limits {
    double misfit;      /* logarithm of the factor by which functions of accesses and executions
                           miss the training counts */
    double best, worst; /* where blocks fall into sets as well, and as badly, as strides let them */
};

/* rows: of the model itself. One interval per number; both ends are NAN if the model has no
 * replicas. Those of misses presume the accesses. ret_limits: one per number, or NULL. */
int ft_spread_intervals(const struct ft_spread_task *task, const double *rows,
                        struct ft_spread_limits *ret_limits, struct ft_interval *ret_intervals,
                        struct ft_diag *diag);

/* Of a row: where not even its accesses are known, nothing is known of what they miss. */
void ft_spread_doubt_misses(const struct ft_spread_task *task, const double *row,
                            struct ft_interval *intervals);

#endif
