/*
 * From the counters of all threads of a process to how often its units ran and followed each other
 * (struct ft_execution_counts): the counts of edges without a counter are solved for, and those of
 * a unit that was left by a branch inside go to its beginning, which becomes a unit of its own.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_COUNTED_TRACE_H
#define FT_TRACE_CAPTURE_PROCESSES_COUNTED_TRACE_H

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/tracer/drain.h"

/* Adds units and counts to the drain. All threads have ended. */
int ft_counted_trace_finish(struct ft_edge_counts *counts, struct ft_drain *drain,
                            struct ft_diag *diag);

#endif
