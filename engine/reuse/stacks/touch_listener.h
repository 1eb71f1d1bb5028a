/*
 * Who takes the touches of a replay in the place of its LRU stacks, batch by batch and in their
 * order: what depends on the LRU order of blocks alone, as the contents of caches do, shares the
 * walk of runs, rows and repetitions. A touch counts at the sizes before its size_end, at each with
 * the weight in its row of weights.
 */
#ifndef FT_ENGINE_REUSE_STACKS_TOUCH_LISTENER_H
#define FT_ENGINE_REUSE_STACKS_TOUCH_LISTENER_H

#include "engine/reuse/stacks/kernel.h"

struct ft_touch_listener {
    /* Regions are numbered from 0 as they are first touched; address: of its first byte. */
    int (*add_region)(struct ft_touch_listener *listener, uint32_t number, uint64_t address,
                      struct ft_diag *diag);
    /* weights: [row * sizes of the replay + size] */
    int (*take)(struct ft_touch_listener *listener, const struct ft_stack *stacks,
                unsigned stack_count, const struct ft_touch *touches, size_t touch_count,
                const uint32_t *weights, struct ft_diag *diag);
    /* Completes the counters, to which a repetition that is skipped is added as often as it came.
     */
    void (*complete)(struct ft_touch_listener *listener);
    /* Distinct blocks of the smallest size that it was given. */
    uint64_t (*count_blocks)(struct ft_touch_listener *listener);
    uint64_t *counters;
    size_t counter_count;
};

#endif
