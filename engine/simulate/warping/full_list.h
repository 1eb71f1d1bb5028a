/*
 * A fully associative LRU cache by block numbers, whose contents can be compared under moves of
 * blocks (block_moves.h), and moved. Starts empty. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_FULL_LIST_H
#define FT_ENGINE_SIMULATE_WARPING_FULL_LIST_H

#include "engine/simulate/warping/block_moves.h"
#include "formats/base/status.h"

struct ft_list_node {
    uint64_t block;
    uint32_t newer, older;
};

struct ft_full_list {
    uint64_t blocks, count;     /* that it can hold, that it holds */
    struct ft_list_node *nodes; /* 0: before the newest and behind the oldest; then one a block */
    uint32_t *table;            /* [slot]: node, 0: none; a block is at its slot or behind it */
    unsigned table_bits;
};
int ft_full_list_init(struct ft_full_list *cache, uint64_t blocks, struct ft_diag *diag);
void ft_full_list_fini(struct ft_full_list *cache);

/* Blocks beside each other have slots beside each other: streams stay in cache lines. */
static inline uint64_t ft_full_list_slot(const struct ft_full_list *cache, uint64_t block)
{
    const uint64_t mixed = (block >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed >> (64 - cache->table_bits) & ~UINT64_C(7)) | (block & 7);
}

static inline void ft_full_list_renew(struct ft_full_list *cache, uint32_t node)
{
    struct ft_list_node *nodes = cache->nodes;
    nodes[nodes[node].newer].older = nodes[node].older;
    nodes[nodes[node].older].newer = nodes[node].newer;
    const uint32_t newest = nodes[0].older;
    nodes[node].newer = 0;
    nodes[node].older = newest;
    nodes[newest].newer = node;
    nodes[0].older = node;
}

/* A block that it does not have, whose search ended at an empty slot. */
void ft_full_list_insert(struct ft_full_list *cache, uint64_t block, uint64_t slot);

/* Whether a block misses. */
static inline bool ft_full_list_touch(struct ft_full_list *cache, uint64_t block)
{
    const uint64_t mask = (UINT64_C(1) << cache->table_bits) - 1;
    const uint32_t newest = cache->nodes[0].older;
    if (newest && cache->nodes[newest].block == block)
        return false;
    uint64_t slot = ft_full_list_slot(cache, block);
    for (uint32_t node; (node = cache->table[slot]) != 0; slot = (slot + 1) & mask)
        if (cache->nodes[node].block == block) {
            ft_full_list_renew(cache, node);
            return false;
        }
    ft_full_list_insert(cache, block, slot);
    return true;
}

/* As those of set_rows.h. */
uint64_t ft_full_list_hash(const struct ft_full_list *cache, const struct ft_block_moves *moves,
                           uint64_t periods);
void ft_full_list_move(struct ft_full_list *cache, const struct ft_block_moves *moves,
                       uint64_t periods);

#endif
