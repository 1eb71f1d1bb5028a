/*
 * The tags of a set stand in one row of an array, the most recent one first; a touch moves its tag
 * to the front. Rows are short, so that this is a few moves in a cache line or two.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/simulate/cache.h"

#define ROWS_AHEAD 16U /* that are prefetched */

struct ft_set_cache {
    uint64_t ways, sets;
    uint64_t set_mask; /* sets - 1 where sets is a power of two, else 0 */
    uint32_t *rows;    /* [set * ways + age], tag + 1; 0: empty */
    uint64_t *misses;  /* [reference] */
};

int ft_set_cache_create(uint64_t blocks, uint64_t ways, uint64_t *misses,
                        struct ft_set_cache **ret_cache, struct ft_diag *diag)
{
    if (ways == 0 || ways >= blocks || blocks % ways != 0 || blocks > FT_SET_CACHE_BLOCKS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "a cache of %llu blocks in %llu ways cannot be simulated",
                       (unsigned long long)blocks, (unsigned long long)ways);
    struct ft_set_cache *cache = calloc(1, sizeof *cache);
    /* calloc takes zero pages from the system as they are touched: capacity costs nothing. */
    uint32_t *rows = calloc(blocks, sizeof *rows);
    if (!cache || !rows) {
        free(cache);
        free(rows);
        return ft_fail_memory(diag, "a cache");
    }
    const uint64_t sets = blocks / ways;
    *cache = (struct ft_set_cache){
        .ways = ways,
        .sets = sets,
        .set_mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
        .rows = rows,
        .misses = misses,
    };
    *ret_cache = cache;
    return FT_OK;
}

void ft_set_cache_destroy(struct ft_set_cache *cache)
{
    if (!cache)
        return;
    free(cache->rows);
    free(cache);
}

static inline uint32_t *row_of(const struct ft_set_cache *cache, uint64_t block)
{
    uint64_t set = cache->set_mask ? block & cache->set_mask : block % cache->sets;
    return cache->rows + set * cache->ways;
}

/* Moves an item to the front of its row; whether it was in the row. */
static inline bool touch_row(uint32_t *row, uint64_t ways, uint32_t item)
{
    uint32_t newer = item;
    for (uint64_t age = 0; age < ways; age++) {
        uint32_t here = row[age];
        row[age] = newer;
        if (here == item)
            return true;
        newer = here;
    }
    return false;
}

void ft_set_cache_take(struct ft_set_cache *cache, const struct ft_cache_touch *touches,
                       size_t count)
{
    const uint64_t ways = cache->ways;
    for (size_t i = 0; i < count; i++) {
        const struct ft_cache_touch *touch = &touches[i];
        if (i + ROWS_AHEAD < count)
            __builtin_prefetch(row_of(cache, touches[i + ROWS_AHEAD].block), 1);
        if (!touch_row(row_of(cache, touch->block), ways, touch->tag + 1))
            cache->misses[touch->reference] += touch->weight;
    }
}
