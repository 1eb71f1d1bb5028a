/*
 * Iterations of a loop that touch none of some sets of a cache: these change nothing there, and are
 * skipped without a look at what they do.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_UNTOUCHED_SETS_H
#define FT_ENGINE_SIMULATE_WARPING_UNTOUCHED_SETS_H

#include "engine/simulate/warping/loop_moves.h"
#include "engine/simulate/warping/single_cache.h"

struct ft_touched_range {
    uint64_t first, last; /* addresses that an access may touch in the first iteration */
    uint64_t step;        /* bytes per iteration */
};

/* Zero initialised; used again for other loops. */
struct ft_untouched_sets {
    struct ft_touched_range *ranges;
    size_t count, capacity;
};
void ft_untouched_sets_fini(struct ft_untouched_sets *untouched);

/* Of a loop that is entered. False: addresses are not as far apart as places, or memory is out. */
bool ft_untouched_sets_start(struct ft_untouched_sets *untouched,
                             const struct ft_loop_accesses *accesses);
/* How many iterations from one on, of so many that are left, touch no set of the cache. */
uint64_t ft_untouched_iterations(const struct ft_untouched_sets *untouched,
                                 const struct ft_single_cache *cache, uint64_t iteration,
                                 uint64_t left);

#endif
