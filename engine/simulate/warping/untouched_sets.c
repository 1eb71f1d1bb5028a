#include "engine/simulate/warping/untouched_sets.h"

#include <stdlib.h>

#include "formats/base/array.h"

void ft_untouched_sets_fini(struct ft_untouched_sets *untouched)
{
    free(untouched->ranges);
    *untouched = (struct ft_untouched_sets){0};
}

bool ft_untouched_sets_start(struct ft_untouched_sets *untouched,
                             const struct ft_loop_accesses *accesses)
{
    untouched->count = 0;
    if (!FT_RESERVE(untouched->ranges, untouched->capacity, accesses->count))
        return false;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct ft_nest_hull *hull = &accesses->hulls[i];
        const uint64_t moved = (accesses->left - 1) * hull->step;
        const bool falls = moved >> 63;
        const uint64_t start = hull->first + (falls ? moved : 0);
        if (!ft_places_stay(accesses->places, start, hull->last + (falls ? 0 : moved)))
            return false;
        const uint32_t bytes = accesses->references[ft_nest_id(*hull->token)].size_bytes;
        const uint64_t first = ft_place_address(accesses->places, start) + (hull->first - start);
        untouched->ranges[untouched->count++] = (struct ft_touched_range){
            first, first + (hull->last - hull->first) + (bytes ? bytes - 1 : 0), hull->step};
    }
    return true;
}

/* Whether an iteration may touch a set. */
static bool touches(const struct ft_untouched_sets *untouched, const struct ft_single_cache *cache,
                    uint64_t iteration)
{
    for (size_t i = 0; i < untouched->count; i++) {
        const struct ft_touched_range *range = &untouched->ranges[i];
        const uint64_t moved = iteration * range->step;
        const uint64_t first = (range->first + moved) >> cache->shift;
        const uint64_t last = (range->last + moved) >> cache->shift;
        if (cache->some->up[ft_set_rows_set(&cache->rows, first)] <= last - first)
            return true;
    }
    return false;
}

uint64_t ft_untouched_iterations(const struct ft_untouched_sets *untouched,
                                 const struct ft_single_cache *cache, uint64_t iteration,
                                 uint64_t left)
{
    uint64_t count = 0;
    while (count < left && !touches(untouched, cache, iteration + count))
        count++;
    return count;
}
