/* The histogram of a group at a point, as a model forecasts it: distances in blocks, and touches,
 * which are real numbers. */
#ifndef FT_FIT_EVALUATE_FORECAST_H
#define FT_FIT_EVALUATE_FORECAST_H

#include <stddef.h>

#include "fit/evaluate/tail_median.h"

/* Start from {0} and reuse it from call to call; ft_forecast_fini (evaluate.h) frees it. */
struct ft_forecast {
    double accesses;
    double touches; /* cold + sum of the bins */
    double cold;
    struct ft_forecast_bin *bins; /* by ascending distance, touches > 0 */
    size_t bin_count, bin_capacity;
};

#endif
