/*
 * The blocks that a source's accesses touch, in order, where touches that find the same LRU order
 * as the one before stand together: runs are walked in epochs (epochs.h), in whose second iteration
 * each touch finds its block where the touches of one iteration have left it, and so do all later
 * ones. The second counts for them, and the order is then as after the last.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_WEIGHTED_TOUCHES_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_WEIGHTED_TOUCHES_H

#include "formats/base/progress.h"
#include "formats/expand/runs.h"

/* A touch that stands for `weight` of its kind. */
typedef int ft_touch_visitor(void *context, uint64_t block, uint64_t weight, struct ft_diag *diag);

/* Takes the source to its end; progress may be NULL. ret_accesses: loads and stores. */
int ft_weighted_touches(struct ft_run_source *source, unsigned block_shift, ft_touch_visitor *visit,
                        void *context, struct ft_progress *progress, uint64_t *ret_accesses,
                        struct ft_diag *diag);

#endif
