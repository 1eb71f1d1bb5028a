/*
 * From the counters of all threads of a process to how often its units ran and followed each other
 * (struct ft_execution_counts). Counts of edges without a counter are solved for. Where a branch
 * inside a unit left it, the executions are counted for the prefix of the unit that ran, which
 * becomes a unit of its own.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_COUNTED_TRACE_H
#define FT_TRACE_CAPTURE_PROCESSES_COUNTED_TRACE_H

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/tracer/drain.h"

/* Adds units and counts to the drain. All threads have ended. */
int ft_counted_trace_finish(struct ft_edge_counts *counts, struct ft_drain *drain,
                            struct ft_diag *diag);

#endif
