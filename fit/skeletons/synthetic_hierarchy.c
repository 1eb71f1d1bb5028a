#include "fit/skeletons/synthetic_hierarchy.h"

int ft_synthesis_hierarchy(const struct ft_synthesis *synthesis,
                           const struct ft_hierarchy_task *task, struct ft_progress *progress,
                           struct ft_hierarchy_run *ret_run, struct ft_diag *diag)
{
    struct ft_run_source *source;
    FT_TRY(ft_synthesis_source(synthesis, &source, diag));
    int status = ft_hierarchy_run(task, source, progress, ret_run, diag);
    source->destroy(source);
    return status;
}
