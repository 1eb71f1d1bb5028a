/*
 * Whether the state of a cache recurs at the start of a loop's iterations, moved as its blocks
 * move; what is counted from one time to the next then recurs as well.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_RECURRENCE_H
#define FT_ENGINE_SIMULATE_WARPING_RECURRENCE_H

#include "engine/simulate/warping/single_cache.h"

/* Of one loop while it runs. Zero initialised; used again for others. */
struct ft_recurrence {
    struct ft_block_moves moves;
    uint32_t *references; /* those of the loop, each once */
    size_t reference_count, reference_capacity;
    struct ft_reference_count *counts; /* [index in references]: at the last look */
    size_t count_capacity;
    uint64_t first, last, next; /* iterations: of the first look, the last one, the next one */
    uint64_t hash;              /* at the last one, as if moved back to the first */
    uint64_t touches;           /* of the cache until then */
    double rate;                /* touches per iteration */
    unsigned looks;
};
void ft_recurrence_fini(struct ft_recurrence *recurrence);

/* How many touches a look is worth. */
uint64_t ft_recurrence_look_touches(const struct ft_single_cache *cache, size_t reference_count);

/* Begins with an iteration, which is looked at next. The moves and references are set. rate: of
 * touches per iteration, about. */
void ft_recurrence_start(struct ft_recurrence *recurrence, uint64_t iteration, double rate);
/* Looks at an iteration, of which with those behind it so many are left that are alike: how many
 * can be skipped, which are then counted, and the cache is as it is behind them. There is another
 * look at `next`, UINT64_MAX where there is none. */
int ft_recurrence_look(struct ft_recurrence *recurrence, struct ft_single_cache *cache,
                       uint64_t iteration, uint64_t left, uint64_t *ret_skipped,
                       struct ft_diag *diag);

#endif
