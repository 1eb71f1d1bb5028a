/*
 * The time of scopes by the convolver of Tikir et al. (SC 2007, section 5): the references of a
 * scope by itself over the bandwidth that its hit rates have on the machine, and its floating-point
 * operations over the rate at which the machine's units start them; the sum of both
 * (docs/convolver.md). Hit rates follow from the misses that are forecast, each level by itself.
 * With the loops inside. Real numbers. Pure.
 */
#ifndef FT_PREDICT_TIME_CONVOLVED_TIME_H
#define FT_PREDICT_TIME_CONVOLVED_TIME_H

#include "machines/bandwidth/bandwidth_function.h"
#include "predict/time/scope_time.h"

struct ft_convolved_time {
    double seconds, memory_seconds, flops_seconds;
    double low, high; /* with the ends of the misses' intervals; the function's own error is not in
                         them */
};

/* function: of the caches of the metrics' machine. ret_times: [scope], zeros before. */
void ft_convolved_times_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                             const struct ft_bandwidth_function *function,
                             struct ft_convolved_time *ret_times);

#endif
