/*
 * Caches that take the touches of a replay (engine/reuse/stacks/touch_listener.h): they see each
 * run, row and repetition as often as the replay does, with the same weights.
 *
 * Touches are gathered, and taken by all caches side by side (OpenMP tasks, where the caller is in
 * a parallel region), each cache in order: misses do not depend on the number of threads.
 */
#ifndef FT_ENGINE_SIMULATE_TOUCHED_CACHES_H
#define FT_ENGINE_SIMULATE_TOUCHED_CACHES_H

#include "engine/reuse/stacks/touch_listener.h"

struct ft_cache_shape {
    unsigned size; /* of its blocks: index into the replay's block sizes */
    uint64_t blocks, ways;
};

struct ft_touched_caches;
int ft_touched_caches_create(const struct ft_cache_shape *shapes, size_t count,
                             uint32_t reference_count, struct ft_touched_caches **ret_caches,
                             struct ft_diag *diag);
void ft_touched_caches_destroy(struct ft_touched_caches *caches);
struct ft_touch_listener *ft_touched_caches_listener(struct ft_touched_caches *caches);
/* After the replay's end: takes all that is left. */
int ft_touched_caches_end(struct ft_touched_caches *caches, struct ft_diag *diag);
/* After that: the misses of the cache of a shape, by reference. */
const uint64_t *ft_touched_caches_misses(const struct ft_touched_caches *caches, size_t shape);

#endif
