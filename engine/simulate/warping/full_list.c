#include "engine/simulate/warping/full_list.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BITS_MIN 6U

int ft_full_list_init(struct ft_full_list *cache, uint64_t blocks, struct ft_diag *diag)
{
    unsigned bits = TABLE_BITS_MIN;
    while (UINT64_C(1) << bits < 2 * blocks)
        bits++;
    *cache = (struct ft_full_list){.blocks = blocks,
                                   .nodes = calloc(blocks + 1, sizeof *cache->nodes),
                                   .table = calloc(UINT64_C(1) << bits, sizeof *cache->table),
                                   .table_bits = bits};
    if (cache->nodes && cache->table)
        return FT_OK;
    ft_full_list_fini(cache);
    return ft_fail_memory(diag, "a cache");
}

void ft_full_list_fini(struct ft_full_list *cache)
{
    free(cache->nodes);
    free(cache->table);
    *cache = (struct ft_full_list){0};
}

/* Empties a slot; those behind it that belong before or at it close the gap. */
static void empty_slot(struct ft_full_list *cache, uint64_t slot)
{
    const uint64_t mask = (UINT64_C(1) << cache->table_bits) - 1;
    for (uint64_t next = (slot + 1) & mask; cache->table[next]; next = (next + 1) & mask) {
        const uint64_t home = ft_full_list_slot(cache, cache->nodes[cache->table[next]].block);
        if (((next - home) & mask) >= ((next - slot) & mask)) {
            cache->table[slot] = cache->table[next];
            slot = next;
        }
    }
    cache->table[slot] = 0;
}

static uint64_t find_slot(const struct ft_full_list *cache, uint64_t block)
{
    const uint64_t mask = (UINT64_C(1) << cache->table_bits) - 1;
    uint64_t slot = ft_full_list_slot(cache, block);
    while (cache->table[slot] && cache->nodes[cache->table[slot]].block != block)
        slot = (slot + 1) & mask;
    return slot;
}

void ft_full_list_insert(struct ft_full_list *cache, uint64_t block, uint64_t slot)
{
    struct ft_list_node *nodes = cache->nodes;
    uint32_t node = nodes[0].newer;
    if (cache->count < cache->blocks) {
        node = (uint32_t)++cache->count;
        nodes[node].newer = nodes[node].older = node;
        nodes[node].block = block;
    } else {
        empty_slot(cache, find_slot(cache, nodes[node].block));
        nodes[node].block = block;
        slot = find_slot(cache, block);
    }
    cache->table[slot] = node;
    ft_full_list_renew(cache, node);
}

uint64_t ft_full_list_hash(const struct ft_full_list *cache, const struct ft_block_moves *moves,
                           uint64_t periods)
{
    uint64_t hash = 0, age = 0;
    for (uint32_t node = cache->nodes[0].older; node; node = cache->nodes[node].older) {
        const uint64_t block = cache->nodes[node].block;
        hash += ft_block_hash(block - periods * ft_block_move(moves, block), age++);
    }
    return hash;
}

void ft_full_list_move(struct ft_full_list *cache, const struct ft_block_moves *moves,
                       uint64_t periods)
{
    memset(cache->table, 0, sizeof *cache->table << cache->table_bits);
    for (uint32_t node = 1; node <= cache->count; node++)
        cache->nodes[node].block += periods * ft_block_move(moves, cache->nodes[node].block);
    for (uint32_t node = 1; node <= cache->count; node++)
        cache->table[find_slot(cache, cache->nodes[node].block)] = node;
}
