/*
 * The time of scopes as Marin & Mellor-Crummey 2004 predict it (sections 2.4 and 3.2): the schedule
 * with all accesses in the first cache (core_time.h), and on top the memory hierarchy penalty, the
 * exposed share of the latencies of all misses (metrics/cycles.h). With the loops inside. Unlike
 * the estimate it needs no description of the core's instructions: generic classes on units will
 * do. Real numbers.
 */
#ifndef FT_PREDICT_TIME_PENALTY_TIME_H
#define FT_PREDICT_TIME_PENALTY_TIME_H

#include "predict/time/scope_time.h"

struct ft_penalty_time {
    double seconds, low, high; /* low, high: with the ends of the penalty's interval, which alone
                                  has one; NAN where that is unknown */
    double schedule_seconds, penalty_seconds;
    bool known; /* the interval is not as wide as the time itself */
};

/* The schedule of scopes by themselves, [scope], in cycles: of `times`, or where they are NULL by
 * `schedules`. Without these too, of a model without code, what the units can do at least. */
int ft_penalty_schedules_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                              const struct ft_scope_time *times,
                              struct ft_path_schedules *schedules, double *ret_cycles,
                              struct ft_diag *diag);

/* cycles: of each scope by itself; with those of nested scopes afterwards. ret_times: [scope]. */
void ft_penalty_times_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                           double *cycles, struct ft_penalty_time *ret_times);

/* What the misses of a level are charged for, in seconds, of a row of metrics. */
double ft_penalty_level_seconds(const struct ft_machine *machine, const double *row, size_t level,
                                bool dirty_memory);

#endif
