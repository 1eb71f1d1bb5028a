/*
 * The time of a scope with the loops inside it, and a 95 % interval: that of the misses, widened by
 * how far times were off where all misses were known (docs/benchmarks.md, "Time").
 */
#ifndef FT_PREDICT_TIME_TIME_ESTIMATE_H
#define FT_PREDICT_TIME_TIME_ESTIMATE_H

#include "predict/time/scope_time.h"

struct ft_time_estimate {
    double seconds, low, high;
};

/* ret_estimates: [scope]. */
void ft_time_estimates_find(const struct ft_scopes *scopes, const struct ft_machine *machine,
                            const struct ft_scope_time *times,
                            struct ft_time_estimate *ret_estimates);

#endif
