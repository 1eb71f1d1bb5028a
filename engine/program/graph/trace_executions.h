/*
 * How often the units of a trace ran, and each reference made accesses: all threads, from one
 * reading of the trace. What the structure of a program begins with.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_TRACE_EXECUTIONS_H
#define FT_ENGINE_PROGRAM_GRAPH_TRACE_EXECUTIONS_H

#include "formats/trace/trace.h"

/* accesses: an entry for each reference of the trace's run source, which is added to; may be NULL.
 * ret_counts: the caller's to end. */
int ft_trace_executions(struct ft_trace *trace, uint64_t *accesses,
                        struct ft_execution_counts *ret_counts, struct ft_diag *diag);

#endif
