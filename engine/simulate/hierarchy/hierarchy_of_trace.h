/*
 * A trace through the hierarchies of several machines (hierarchy_run.h), and where its references
 * stand.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_OF_TRACE_H
#define FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_OF_TRACE_H

#include "engine/simulate/hierarchy/hierarchy_run.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

/* content: a sum of enum ft_run_content. The task is of as many threads as the trace; progress may
 * be NULL. */
int ft_hierarchy_of_trace(struct ft_trace *trace, const struct ft_hierarchy_task *task,
                          unsigned content, struct ft_progress *progress,
                          struct ft_hierarchy_run *ret_run, struct ft_scopes *ret_scopes,
                          struct ft_diag *diag);

#endif
