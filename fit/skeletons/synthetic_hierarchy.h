/*
 * The hierarchy of a machine (engine/simulate/hierarchy/hierarchy.h) on the accesses that a
 * synthesis makes, of one thread.
 */
#ifndef FT_FIT_SKELETONS_SYNTHETIC_HIERARCHY_H
#define FT_FIT_SKELETONS_SYNTHETIC_HIERARCHY_H

#include "engine/simulate/hierarchy/hierarchy_run.h"
#include "fit/skeletons/synthesis.h"

/* References are those of the largest training size; there are no fetches. The task is of one
 * thread; progress may be NULL. */
int ft_synthesis_hierarchy(const struct ft_synthesis *synthesis,
                           const struct ft_hierarchy_task *task, struct ft_progress *progress,
                           struct ft_hierarchy_run *ret_run, struct ft_diag *diag);

#endif
