/*
 * Misses by histograms that are more than a scope's accesses can make: touches and accesses are
 * functions of their own, and far from the training sizes one of them may be wrong.
 */
#ifndef FT_PREDICT_CAPPED_MISSES_H
#define FT_PREDICT_CAPPED_MISSES_H

#include "predict/intervals/interval.h"
#include "predict/metrics/metrics.h"

/* Blocks that an access touches, at most. */
#define FT_BLOCKS_PER_ACCESS 2.0

/* What is forecast, and where; inclusive. */
struct ft_capped_rows {
    const struct ft_metrics *metrics;
    double *inclusive;             /* [scope * width of the metrics] */
    struct ft_interval *intervals; /* likewise */
};

void ft_cap_misses(const struct ft_capped_rows *rows);

#endif
