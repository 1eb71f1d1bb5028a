/*
 * All threads of a trace as one source, in the order of interleaving.h; each batch comes from one
 * thread. The trace must outlive it.
 */
#ifndef FT_ENGINE_STREAMS_ALL_THREADS_H
#define FT_ENGINE_STREAMS_ALL_THREADS_H

#include "formats/trace/trace.h"

/* content: enum ft_run_content. counts: as in ft_trace_runs, of all threads. */
int ft_all_threads_runs(struct ft_trace *trace, unsigned content,
                        struct ft_execution_counts *counts, struct ft_run_source **ret_source,
                        struct ft_diag *diag);

#endif
