/*
 * How often each unit of a trace was executed, and the accesses of each reference: all threads, in
 * one pass over the trace. The input of the structure of a program.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_TRACE_EXECUTIONS_H
#define FT_ENGINE_PROGRAM_GRAPH_TRACE_EXECUTIONS_H

#include "formats/trace/trace.h"

/* accesses: an entry for each reference of the trace's run source, which is added to; may be NULL.
 * ret_counts: the caller's to end. */
int ft_trace_executions(struct ft_trace *trace, uint64_t *accesses,
                        struct ft_execution_counts *ret_counts, struct ft_diag *diag);

#endif
