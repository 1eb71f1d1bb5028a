/*
 * Intervals of a forecast by histograms that reach to what other parts of the model say: of set-
 * associative misses, what fully associative ones may be; of code that only some sizes run
 * (intervals/sporadic_code.h); of footprints in smaller blocks (intervals/footprint_gaps.h).
 */
#ifndef FT_PREDICT_WIDENED_INTERVALS_H
#define FT_PREDICT_WIDENED_INTERVALS_H

#include "machines/machine.h"
#include "predict/intervals/interval.h"
#include "predict/metrics/metrics.h"

/* What is forecast, and where. */
struct ft_widened_rows {
    const struct ft_metrics *metrics;
    const double *inclusive;       /* [scope * width of the metrics] */
    struct ft_interval *intervals; /* likewise; these are widened */
};

int ft_widen_intervals(const struct ft_widened_rows *rows, struct ft_diag *diag);

#endif
