/*
 * What bounds a time on a machine: from below the schedule of Marin & Mellor-Crummey 2004 (section
 * 2.4, without dependences), if all misses are hidden behind it; from above the latencies of all
 * instructions, accesses and misses, one after the other. Between them the paper's memory penalty
 * (section 3.2). Pure functions.
 */
#ifndef FT_PREDICT_METRICS_CYCLES_H
#define FT_PREDICT_METRICS_CYCLES_H

#include "machines/machine.h"

/* A lower bound of the cycles that instructions take when every access hits in the first level: the
 * larger of instructions / issue width and, for each group of functional units, the operations that
 * run only there / the rate at which they start. ret_limit, where not NULL: what sets the bound,
 * "issue width" or the name of a group of units. */
double ft_schedule_cycles(const struct ft_machine *machine, double instructions,
                          const double mix[FT_MIX_COUNT], const char **ret_limit);

/* Over all levels, misses[level] x the latency of a miss x the share of it that is exposed.
 * dirty_memory: every line that memory replaces is written back first, where the machine knows what
 * that costs. */
double ft_memory_cycles(const struct ft_machine *machine, const double *misses, bool dirty_memory);

/* The latencies of instructions one after the other, without those of their accesses: each class
 * takes as long as on the slowest of the processors in machines/, or on this machine. */
double ft_latency_cycles(const struct ft_machine *machine, double instructions,
                         const double mix[FT_MIX_COUNT]);
/* Those of accesses: each waits for the first cache, and each miss for its whole latency. */
double ft_access_latency_cycles(const struct ft_machine *machine, double accesses,
                                const double *misses, bool dirty_memory);

double ft_machine_seconds(const struct ft_machine *machine, double cycles);

#endif
