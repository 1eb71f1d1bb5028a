/*
 * The runs of all threads of a trace, for simulations, which may open them several times
 * (simulate.h). One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_TRACE_RUNS_H
#define FT_ENGINE_SIMULATE_TRACE_RUNS_H

#include "engine/streams/all_threads.h"

struct ft_trace_runs {
    struct ft_trace *trace; /* the caller's */
    bool counts_executions;
    struct ft_execution_counts counts; /* of what was read since it was opened, if so */
    struct ft_run_source *source;      /* NULL: none is open */
};
/* An ft_source_opener; context: a struct ft_trace_runs. Closes what was open. */
int ft_trace_runs_open(void *context, struct ft_run_source **ret_source, struct ft_diag *diag);
void ft_trace_runs_close(struct ft_trace_runs *runs);

#endif
