/*
 * The time that scopes take at a point, from what the core does (core_time.h) and what it waits for
 * (memory_time.h): where lines come while the core works, the longer of both; chains of loads and
 * page faults on top. Cycles, exclusive of nested scopes. An estimate, whose own error is in the
 * intervals of time_estimate.h.
 */
#ifndef FT_PREDICT_TIME_SCOPE_TIME_H
#define FT_PREDICT_TIME_SCOPE_TIME_H

#include "predict/intervals/interval.h"
#include "predict/metrics/heap_sizes.h"
#include "predict/time/core_time.h"
#include "predict/time/thread_time.h"

#define FT_TIME_LIMIT_BYTES 64

struct ft_scope_time {
    double cycles, low, high; /* low, high: with the ends of the misses' intervals */
    double together;          /* threads that do its work side by side: all numbers of cycles are
                                 those of the busiest one, and times this of all */
    struct ft_core_time core;
    double mispredicted;             /* what they cost, added to the core's */
    double memory;                   /* overlapped with both, of all levels and TLBs, and of stores
                                        that conflict */
    double chains;                   /* added to all */
    double page_faults;              /* added to all (page_faults.h) */
    char limit[FT_TIME_LIMIT_BYTES]; /* what most of it is spent on: "recurrence through xmm1",
                                        "streams from L3", "mispredictions" */
};

/* The metrics of all scopes at a point, as a prediction has them. */
struct ft_time_rows {
    const double *exclusive, *inclusive;
    const struct ft_interval *intervals; /* of inclusive */
    const double *store_conflicts;       /* [scope]: stores; NULL: not known */
    const struct ft_heap_sizes *heap;    /* at the size */
};
/* By what `misses` of a scope, whose row begins there, grow to an end of the interval of their
 * level's column: to no more than that end, nor than all accesses. */
double ft_time_rows_growth(const struct ft_time_rows *rows, size_t row, size_t column,
                           double misses, bool upper);

/* threads: how many there are. ret_times: [scope]. ret_waits: [scope * levels of the machine +
 * source], the cycles that each source adds to what the core takes, core.cycles + mispredicted: all
 * of its chains, and its part of what does not overlap. With these two they sum up to the scope's
 * cycles. Sources are the caches behind the first, memory, then the TLBs' walks
 * (ft_time_source_name). */
int ft_scope_times_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                        struct ft_path_schedules *schedules, const struct ft_thread_work *threads,
                        struct ft_scope_time *ret_times, double *ret_waits, struct ft_diag *diag);

/* "L2", "memory", "DTLB". */
const char *ft_time_source_name(const struct ft_machine *machine, size_t source);

#endif
