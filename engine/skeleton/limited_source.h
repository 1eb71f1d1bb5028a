/*
 * A source that fails, with FT_ERROR_UNSUPPORTED, once it gives more accesses than a limit: what is
 * drawn at random at a size may grow beyond what anybody expects.
 */
#ifndef FT_ENGINE_SKELETON_LIMITED_SOURCE_H
#define FT_ENGINE_SKELETON_LIMITED_SOURCE_H

#include "formats/expand/runs.h"

/* Takes the source over, after a failure too. */
int ft_limited_source_create(struct ft_run_source *source, double accesses_max,
                             struct ft_run_source **ret_source, struct ft_diag *diag);

#endif
