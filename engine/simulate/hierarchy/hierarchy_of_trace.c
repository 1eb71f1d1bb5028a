#include "engine/simulate/hierarchy/hierarchy_of_trace.h"

#include "engine/program/structure.h"
#include "engine/streams/all_threads.h"

int ft_hierarchy_of_trace(struct ft_trace *trace, const struct ft_hierarchy_task *task,
                          unsigned content, struct ft_progress *progress,
                          struct ft_hierarchy_run *ret_run, struct ft_scopes *ret_scopes,
                          struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source;
    FT_TRY(ft_all_threads_runs(trace, content, &counts, &source, diag));
    int status = ft_hierarchy_run(task, source, progress, ret_run, diag);
    if (status == FT_OK) {
        status = ft_structure_build(trace, &counts, source->references, source->reference_count,
                                    NULL, ret_scopes, diag);
        if (status != FT_OK)
            ft_hierarchy_run_fini(ret_run);
    }
    source->destroy(source);
    ft_execution_counts_fini(&counts);
    return status;
}
