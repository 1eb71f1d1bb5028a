/*
 * How often each unit of a trace was executed, and the accesses of each reference: of all threads,
 * in one pass over the trace. Input to structure.h.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_TRACE_EXECUTIONS_H
#define FT_ENGINE_PROGRAM_GRAPH_TRACE_EXECUTIONS_H

#include "formats/trace/trace.h"

/* accesses: per reference of the trace's run source, added to; may be NULL. ret_counts: the caller
 * ends it. */
int ft_trace_executions(struct ft_trace *trace, uint64_t *accesses,
                        struct ft_execution_counts *ret_counts, struct ft_diag *diag);

#endif
