#include "engine/simulate/trace_runs.h"

void ft_trace_runs_close(struct ft_trace_runs *runs)
{
    if (runs->source)
        runs->source->destroy(runs->source);
    runs->source = NULL;
    ft_execution_counts_fini(&runs->counts);
}

int ft_trace_runs_open(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct ft_trace_runs *runs = context;
    ft_trace_runs_close(runs);
    runs->counts = (struct ft_execution_counts){0};
    FT_TRY(ft_all_threads_runs(runs->trace, FT_RUN_ACCESSES,
                               runs->counts_executions ? &runs->counts : NULL, &runs->source,
                               diag));
    *ret_source = runs->source;
    return FT_OK;
}
