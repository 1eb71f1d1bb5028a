/*
 * Set-associative: the blocks of a set stand in one row of an array, the most recent one first; a
 * touch moves its block to the front. Rows are short, so that this is a few moves in one or two
 * cache lines, and most touches find their block at the front.
 *
 * Fully associative: nodes in a list by recency, found through an open-addressing hash table with
 * linear probing; a removal shifts back what probing had pushed forward, so there are no
 * tombstones and the table never degrades. Each touch costs O(1), whatever the capacity.
 */
#include "engine/simulate/cache.h"

#include <stdlib.h>
#include <string.h>

struct node {
    uint64_t block;
    uint32_t newer, older; /* nodes; 0: none */
};

struct ft_cache {
    uint64_t blocks, ways, sets;
    uint64_t set_mask; /* sets - 1 where sets is a power of two, else 0 */
    uint64_t *rows;    /* set-associative: [set * ways + age], block + 1; 0: empty */
    /* fully associative: */
    struct node *nodes; /* [1 .. blocks] */
    uint32_t node_count, newest, oldest;
    uint32_t *table; /* nodes by hash of their block; 0: empty */
    uint32_t table_mask;
    unsigned table_shift;
};

static int create_full(struct ft_cache *cache)
{
    unsigned bits = 4;
    while ((UINT64_C(1) << bits) < 2 * cache->blocks)
        bits++;
    cache->table_mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    cache->table_shift = 64 - bits;
    /* calloc takes zero pages from the system as they are touched: capacity costs nothing. */
    cache->nodes = calloc(cache->blocks + 1, sizeof *cache->nodes);
    cache->table = calloc((size_t)cache->table_mask + 1, sizeof *cache->table);
    return cache->nodes && cache->table ? FT_OK : FT_ERROR_MEMORY;
}

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
    int status = FT_OK;
    if (cache->sets == 1)
        status = create_full(cache);
    else if (!(cache->rows = calloc(blocks, sizeof *cache->rows)))
        status = FT_ERROR_MEMORY;
    if (status != FT_OK) {
        ft_cache_destroy(cache);
        return ft_fail_memory(diag, "a cache");
    }
    *ret_cache = cache;
    return FT_OK;
}

void ft_cache_destroy(struct ft_cache *cache)
{
    if (!cache)
        return;
    free(cache->rows);
    free(cache->nodes);
    free(cache->table);
    free(cache);
}

static bool touch_set(struct ft_cache *cache, uint64_t block)
{
    uint64_t set = cache->set_mask ? block & cache->set_mask : block % cache->sets;
    uint64_t *row = cache->rows + set * cache->ways;
    uint64_t wanted = block + 1;
    if (row[0] == wanted)
        return false;
    uint64_t age = 1;
    while (age < cache->ways && row[age] != wanted)
        age++;
    bool miss = age == cache->ways;
    memmove(row + 1, row, (miss ? age - 1 : age) * sizeof *row);
    row[0] = wanted;
    return miss;
}

static uint32_t home(const struct ft_cache *cache, uint64_t block)
{
    return (uint32_t)((block * UINT64_C(0x9E3779B97F4A7C15)) >> cache->table_shift);
}

/* The place of a block in the table, or the empty place where it belongs. */
static uint32_t find(const struct ft_cache *cache, uint64_t block)
{
    uint32_t place = home(cache, block);
    while (cache->table[place] && cache->nodes[cache->table[place]].block != block)
        place = (place + 1) & cache->table_mask;
    return place;
}

/* Empties a place and moves back the entries behind it that may stand there. */
static void remove_place(struct ft_cache *cache, uint32_t place)
{
    uint32_t hole = place, mask = cache->table_mask;
    for (uint32_t next = (hole + 1) & mask; cache->table[next]; next = (next + 1) & mask) {
        uint32_t wanted = home(cache, cache->nodes[cache->table[next]].block);
        if (((next - wanted) & mask) >= ((next - hole) & mask)) {
            cache->table[hole] = cache->table[next];
            hole = next;
        }
    }
    cache->table[hole] = 0;
}

static void unlink_node(struct ft_cache *cache, uint32_t index)
{
    const struct node *node = &cache->nodes[index];
    if (node->newer)
        cache->nodes[node->newer].older = node->older;
    else
        cache->newest = node->older;
    if (node->older)
        cache->nodes[node->older].newer = node->newer;
    else
        cache->oldest = node->newer;
}

static void push_newest(struct ft_cache *cache, uint32_t index)
{
    struct node *node = &cache->nodes[index];
    node->newer = 0;
    node->older = cache->newest;
    if (cache->newest)
        cache->nodes[cache->newest].newer = index;
    else
        cache->oldest = index;
    cache->newest = index;
}

static bool touch_full(struct ft_cache *cache, uint64_t block)
{
    if (cache->newest && cache->nodes[cache->newest].block == block)
        return false;
    uint32_t place = find(cache, block);
    uint32_t index = cache->table[place];
    bool miss = index == 0;
    if (!miss) {
        unlink_node(cache, index);
    } else if (cache->node_count < cache->blocks) {
        index = ++cache->node_count;
        cache->nodes[index].block = block;
        cache->table[place] = index;
    } else {
        index = cache->oldest;
        unlink_node(cache, index);
        remove_place(cache, find(cache, cache->nodes[index].block));
        cache->nodes[index].block = block;
        cache->table[find(cache, block)] = index; /* removing may have moved the empty place */
    }
    push_newest(cache, index);
    return miss;
}

bool ft_cache_touch(struct ft_cache *cache, uint64_t block)
{
    return cache->rows ? touch_set(cache, block) : touch_full(cache, block);
}
