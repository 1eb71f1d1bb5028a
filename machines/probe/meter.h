/*
 * Times of short pieces of work on a shared, noisy machine without counters: the minimum of many
 * samples, in two interleaved halves that should agree. A sample counts where the thread had its
 * processor for all of it, by CPU time, which is then what the clock on the wall shows (the clock
 * of CPU time itself, where time is stolen from a virtual machine, sometimes shows too little);
 * where none does, CPU time counts. In front of every sample runs a canary (canary.h): where it is
 * slower than ever seen, another thread uses the core or its clock is lower, and the sample waits a
 * little for better times, on each of the processors in turn. One that ran without them, or that
 * was interrupted, is disturbed, and more samples are taken.
 *
 * Of one thread.
 */
#ifndef FT_MACHINES_PROBE_METER_H
#define FT_MACHINES_PROBE_METER_H

#include <sched.h>
#include <stdint.h>

#include "machines/probe/probe_points.h"

/* Does `count` operations. */
typedef void ft_work(void *context, uint64_t count);

struct ft_meter {
    double window_ns; /* how long a sample takes at least */
    uint32_t samples_min, samples_max;
    double cycle_ns;      /* of the canary, the best so far */
    double fill_ns;       /* of its work that fills the core, per iteration, the best so far */
    double clock_ns;      /* of reading the clock */
    uint64_t deadline_ns; /* of ft_clock_ns: from then on few samples are taken; 0: none */
    uint64_t samples, disturbed;
    cpu_set_t allowed; /* processors; empty: not known, the thread stays where it is */
    int cpu;
};

/* Measures the canary alone, for some milliseconds on each of the first processors. */
void ft_meter_init(struct ft_meter *meter);

/* Whether the core is as fast as ever, and this thread's alone: by one run of the canary. */
bool ft_meter_is_calm(struct ft_meter *meter);
/* Moves the thread to the next of the processors that it may use, and holds it there. */
void ft_meter_move_on(struct ft_meter *meter);

/* Fills samples, calm, ns and again_ns of a point, per operation, of one pass. unit: counts are
 * multiples of it. The thread may use the same processors before and behind it. */
void ft_meter_measure(struct ft_meter *meter, ft_work *work, void *context, uint64_t unit,
                      struct ft_probe_point *point);

/* The share of samples that were disturbed. */
double ft_meter_disturbed(const struct ft_meter *meter);

#endif
