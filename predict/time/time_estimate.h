/*
 * The time of a scope with the loops inside it, and a 95 % interval: that of the misses, widened by
 * how far times were off where all misses were known (docs/benchmarks.md, "Time").
 */
#ifndef FT_PREDICT_TIME_TIME_ESTIMATE_H
#define FT_PREDICT_TIME_TIME_ESTIMATE_H

#include "predict/time/scope_time.h"

struct ft_time_estimate {
    double seconds, low, high;             /* from begin to end */
    double cpu_seconds, cpu_low, cpu_high; /* of all threads; of one the same */
    double first_low; /* what the first thread takes, from below: so long it lasts at least */
};

/* ret_estimates: [scope]. Where threads do not meet behind scopes, they may overlap: the lower end
 * is what the first one takes, or an even part of all. */
void ft_time_estimates_find(const struct ft_scopes *scopes, const struct ft_machine *machine,
                            const struct ft_scope_time *times, const struct ft_thread_work *threads,
                            struct ft_time_estimate *ret_estimates);

#endif
