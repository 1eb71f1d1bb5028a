/*
 * Intervals of a forecast by histograms that reach to what other parts of the model say: of set-
 * associative misses, what fully associative ones may be; of code that only some sizes run
 * (intervals/sporadic_code.h); of footprints in smaller blocks (intervals/footprint_gaps.h); of
 * calls of malloc (intervals/malloc_paths.h).
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

/* Of a value: misses of sets follow from the same distances as those of a fully associative cache,
 * and from how blocks fall into sets, so they are no surer than these; and where there may be no
 * conflicts, they may be as few as these. */
struct ft_interval ft_widen_set_interval(struct ft_interval sets, double value,
                                         struct ft_interval full, double full_value);
int ft_widen_intervals(const struct ft_widened_rows *rows, struct ft_diag *diag);

#endif
