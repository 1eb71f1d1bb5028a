/*
 * Set-associative: the tags of a set stand in one row of an array, the most recent one first; a
 * touch moves its tag to the front. Rows are short, so that this is a few moves in one cache line,
 * and many touches find their tag at the front already.
 *
 * Fully associative: a list by recency, whose links are found by the tag. A touch costs O(1),
 * whatever the capacity.
 */
#include "engine/simulate/cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/zero_array.h"

#define ROWS_AHEAD 16U /* that are prefetched */

struct links {
    uint32_t newer, older; /* nodes; 0: not in the list */
};

/* A node is a tag + FIRST_NODE; END is before the newest and behind the oldest. */
enum { END = 1, FIRST_NODE = 2 };

struct ft_cache {
    uint64_t blocks, ways, sets;
    uint64_t set_mask; /* sets - 1 where sets is a power of two, else 0 */
    uint32_t *rows;    /* set-associative: [set * ways + age], tag + 1; 0: empty */
    /* fully associative: */
    struct ft_zero_array links; /* struct links [node] */
    uint64_t node_count;        /* in the list */
};

int ft_cache_create(uint64_t blocks, uint64_t ways, struct ft_cache **ret_cache,
                    struct ft_diag *diag)
{
    if (ways == 0 || blocks == 0 || ways > blocks || blocks % ways != 0 ||
        blocks > FT_CACHE_BLOCKS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "a cache of %llu blocks in %llu ways cannot be simulated",
                       (unsigned long long)blocks, (unsigned long long)ways);
    struct ft_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return ft_fail_memory(diag, "a cache");
    cache->blocks = blocks;
    cache->ways = ways;
    cache->sets = blocks / ways;
    cache->set_mask = (cache->sets & (cache->sets - 1)) == 0 ? cache->sets - 1 : 0;
    int status = ft_cache_reserve(cache, 0, diag);
    if (status == FT_OK && cache->sets > 1 && !(cache->rows = calloc(blocks, sizeof *cache->rows)))
        status = ft_fail_memory(diag, "a cache");
    if (status != FT_OK) {
        ft_cache_destroy(cache);
        return status;
    }
    struct links *links = cache->links.items;
    if (links)
        links[END] = (struct links){END, END};
    *ret_cache = cache;
    return FT_OK;
}

void ft_cache_destroy(struct ft_cache *cache)
{
    if (!cache)
        return;
    free(cache->rows);
    ft_zero_array_fini(&cache->links);
    free(cache);
}

int ft_cache_reserve(struct ft_cache *cache, uint64_t tag_count, struct ft_diag *diag)
{
    return cache->sets > 1
               ? FT_OK
               : ft_zero_array_reserve(&cache->links,
                                       (tag_count + FIRST_NODE) * sizeof(struct links), diag);
}

/* ---- set-associative ---- */

static inline uint32_t *row_of(const struct ft_cache *cache, uint64_t block)
{
    uint64_t set = cache->set_mask ? block & cache->set_mask : block % cache->sets;
    return cache->rows + set * cache->ways;
}

/* Moves an item to the front of its row; whether it was in the row. */
static inline bool touch_row(uint32_t *row, uint64_t ways, uint32_t item)
{
    uint32_t moved = item;
    for (uint64_t age = 0; age < ways; age++) {
        uint32_t here = row[age];
        row[age] = moved;
        if (here == item)
            return true;
        moved = here;
    }
    return false;
}

static void take_rows(struct ft_cache *cache, const struct ft_cache_touch *touches, size_t count,
                      uint64_t *misses)
{
    for (size_t i = 0; i < count; i++) {
        const struct ft_cache_touch *touch = &touches[i];
        if (i + ROWS_AHEAD < count)
            __builtin_prefetch(row_of(cache, touches[i + ROWS_AHEAD].block), 1);
        if (!touch_row(row_of(cache, touch->block), cache->ways, touch->tag + 1))
            misses[touch->reference] += touch->weight;
    }
}

/* ---- fully associative ---- */

static void unlink_node(struct links *links, uint32_t node)
{
    links[links[node].newer].older = links[node].older;
    links[links[node].older].newer = links[node].newer;
    links[node] = (struct links){0, 0};
}

static void push_newest(struct links *links, uint32_t node)
{
    links[node] = (struct links){END, links[END].older};
    links[links[node].older].newer = node;
    links[END].older = node;
}

static void take_list(struct ft_cache *cache, const struct ft_cache_touch *touches, size_t count,
                      uint64_t *misses)
{
    struct links *links = cache->links.items;
    for (size_t i = 0; i < count; i++) {
        uint32_t node = touches[i].tag + FIRST_NODE;
        if (i + ROWS_AHEAD < count)
            __builtin_prefetch(links + touches[i + ROWS_AHEAD].tag + FIRST_NODE, 1);
        if (links[node].newer) {
            unlink_node(links, node);
        } else {
            misses[touches[i].reference] += touches[i].weight;
            if (cache->node_count == cache->blocks)
                unlink_node(links, links[END].newer);
            else
                cache->node_count++;
        }
        push_newest(links, node);
    }
}

void ft_cache_take(struct ft_cache *cache, const struct ft_cache_touch *touches, size_t count,
                   uint64_t *misses)
{
    if (cache->sets > 1)
        take_rows(cache, touches, count, misses);
    else
        take_list(cache, touches, count, misses);
}
