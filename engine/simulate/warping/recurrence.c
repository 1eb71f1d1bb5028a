/*
 * Why it recurs: LRU looks at blocks through equality and the set that they belong to. Moves keep
 * both. So if the state after some iterations is the moved one, and the accesses of those that
 * follow are the moved ones as well, these do the same again to the moved state, and so on.
 *
 * What moves with a range meets no other blocks, as it stays in it: its foremost block was not
 * there at the look before, so the loop has touched it since, and will touch what it becomes.
 *
 * A look takes the whole state: it comes after several times as many touches, and ever later while
 * nothing recurs.
 */
#include "engine/simulate/warping/recurrence.h"

#include <stdlib.h>

#include "formats/base/array.h"

#define TOUCHES_PER_BLOCK 4U /* of a state that is looked at */
#define GROWTH            8U /* a look after one more of so many parts of the iterations so far */

void ft_recurrence_fini(struct ft_recurrence *recurrence)
{
    free(recurrence->moves.ranges);
    free(recurrence->references);
    free(recurrence->counts);
    *recurrence = (struct ft_recurrence){0};
}

uint64_t ft_recurrence_look_touches(const struct ft_single_cache *cache, size_t reference_count)
{
    return TOUCHES_PER_BLOCK * ft_single_cache_held(cache) + cache->sets / 4 + 2 * reference_count;
}

void ft_recurrence_start(struct ft_recurrence *recurrence, uint64_t iteration, double rate)
{
    recurrence->first = recurrence->last = recurrence->next = iteration;
    recurrence->looks = 0;
    recurrence->rate = rate;
}

static bool keep_counts(struct ft_recurrence *recurrence, const struct ft_single_cache *cache)
{
    if (!FT_RESERVE(recurrence->counts, recurrence->count_capacity, recurrence->reference_count))
        return false;
    for (size_t i = 0; i < recurrence->reference_count; i++)
        recurrence->counts[i] = cache->counts[recurrence->references[i]];
    return true;
}

static void count_again(const struct ft_recurrence *recurrence, struct ft_single_cache *cache,
                        uint64_t times)
{
    for (size_t i = 0; i < recurrence->reference_count; i++) {
        struct ft_reference_count *count = &cache->counts[recurrence->references[i]];
        count->accesses += times * (count->accesses - recurrence->counts[i].accesses);
        count->misses += times * (count->misses - recurrence->counts[i].misses);
    }
}

/* The next look, if two more would leave anything to skip. */
static void plan_next(struct ft_recurrence *recurrence, const struct ft_single_cache *cache,
                      uint64_t iteration, uint64_t left)
{
    const uint64_t period = recurrence->moves.period, most = left / period / 2;
    const double needed = (double)ft_recurrence_look_touches(cache, recurrence->reference_count) /
                          (recurrence->rate * (double)period);
    uint64_t periods = (iteration - recurrence->first) / GROWTH / period + 1;
    if (needed >= (double)most)
        periods = most + 1;
    else if ((double)periods < needed)
        periods = (uint64_t)needed + 1;
    recurrence->next = periods <= most ? iteration + periods * period : UINT64_MAX;
}

int ft_recurrence_look(struct ft_recurrence *recurrence, struct ft_single_cache *cache,
                       uint64_t iteration, uint64_t left, uint64_t *ret_skipped,
                       struct ft_diag *diag)
{
    const uint64_t period = recurrence->moves.period;
    const uint64_t hash =
        ft_single_cache_hash(cache, &recurrence->moves, (iteration - recurrence->first) / period);
    const uint64_t since = iteration - recurrence->last;
    *ret_skipped = 0;
    if (recurrence->looks++ && hash == recurrence->hash) {
        const uint64_t times = left / since;
        FT_TRY(ft_single_cache_move(cache, &recurrence->moves, times * (since / period), diag));
        count_again(recurrence, cache, times);
        *ret_skipped = times * since;
        recurrence->next = UINT64_MAX;
        return FT_OK;
    }
    if (!keep_counts(recurrence, cache))
        return ft_fail_memory(diag, "a simulation");
    if (since)
        recurrence->rate = (double)(cache->touches - recurrence->touches + 1) / (double)since;
    plan_next(recurrence, cache, iteration, left);
    recurrence->last = iteration;
    recurrence->hash = hash;
    recurrence->touches = cache->touches;
    return FT_OK;
}
