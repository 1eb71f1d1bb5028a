/*
 * What a scope's traffic between levels costs on a machine (docs/predict.md, "Time"): streams what
 * a level takes to deliver line after line, scattered lines their latency over how many are under
 * way together, chains all of their latency. Pure.
 */
#ifndef FT_PREDICT_TIME_MEMORY_TIME_H
#define FT_PREDICT_TIME_MEMORY_TIME_H

#include "predict/time/traffic.h"

/* Cycles, by kind of traffic. Chains the core waits for; the others run beside what it does. */
struct ft_memory_time {
    double cycles[FT_TRAFFIC_KINDS];
};

/* Of the lines that come from a cache, source 1 or more, or from memory, source cache_count.
 * traffic: [level], of one scope. instructions: what it executes, of which so many, window, are
 * under way together, with their misses. */
struct ft_memory_time ft_memory_time_of(const struct ft_machine *machine,
                                        const struct ft_traffic *traffic, size_t source,
                                        double instructions, double window);
/* Of the misses in a TLB. */
struct ft_memory_time ft_walk_time_of(const struct ft_machine *machine,
                                      const struct ft_traffic *traffic, size_t tlb);

#endif
