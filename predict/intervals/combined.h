/*
 * The forecast of every number of a task in the way that knows it better: by the laws of its groups
 * (spread.h), or by laws of the rows themselves (scaled_laws.h). docs/predict.md, "Rows".
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_COMBINED_H
#define FT_PREDICT_INTERVALS_COMBINED_H

#include "predict/intervals/interval.h"
#include "predict/intervals/spread_task.h"

/* rows: in, of the model itself; out, the forecasts. One interval per number; both ends are NAN if
 * the model has no replicas. */
int ft_combined_forecast(const struct ft_spread_task *task, double *rows,
                         struct ft_interval *ret_intervals, struct ft_diag *diag);

#endif
