/* Blocks are found by their number; those inside are a list by recency. */
#include "engine/simulate/hierarchy/miss_causes.h"

#include <stdlib.h>

#include "formats/base/array.h"

const char *const ft_miss_cause_names[FT_MISS_CAUSES] = {"cold", "capacity", "conflict"};

void ft_miss_shadow_init(struct ft_miss_shadow *shadow, uint64_t blocks)
{
    *shadow =
        (struct ft_miss_shadow){.ways = blocks, .newest = FT_NO_SHADOW, .oldest = FT_NO_SHADOW};
}

void ft_miss_shadow_fini(struct ft_miss_shadow *shadow)
{
    free(shadow->table.slots);
    free(shadow->blocks);
    *shadow = (struct ft_miss_shadow){0};
}

/* ---- the list ---- */

static void take_out(struct ft_miss_shadow *shadow, uint32_t index)
{
    struct ft_shadow_block *block = &shadow->blocks[index];
    *(block->newer == FT_NO_SHADOW ? &shadow->newest : &shadow->blocks[block->newer].older) =
        block->older;
    *(block->older == FT_NO_SHADOW ? &shadow->oldest : &shadow->blocks[block->older].newer) =
        block->newer;
    block->is_inside = false;
    shadow->inside--;
}

static void put_in_front(struct ft_miss_shadow *shadow, uint32_t index)
{
    struct ft_shadow_block *block = &shadow->blocks[index];
    if (block->is_inside)
        take_out(shadow, index);
    else if (shadow->inside == shadow->ways)
        take_out(shadow, shadow->oldest);
    block->newer = FT_NO_SHADOW;
    block->older = shadow->newest;
    *(shadow->newest == FT_NO_SHADOW ? &shadow->oldest : &shadow->blocks[shadow->newest].newer) =
        index;
    shadow->newest = index;
    block->is_inside = true;
    shadow->inside++;
}

/* ---- blocks ---- */

/* FT_NO_SHADOW: out of memory. */
static uint32_t find_block(struct ft_miss_shadow *shadow, uint64_t number)
{
    const uint64_t hash = ft_hash_mix(number);
    uint32_t index;
    for (size_t probe = hash; ft_hash_next(&shadow->table, hash, &probe, &index);)
        if (shadow->blocks[index].number == number)
            return index;
    index = (uint32_t)shadow->block_count;
    if (shadow->block_count >= FT_NO_SHADOW - 1 ||
        !FT_RESERVE(shadow->blocks, shadow->block_capacity, shadow->block_count + 1) ||
        !ft_hash_table_add(&shadow->table, hash, index)) {
        shadow->has_failed = true;
        return FT_NO_SHADOW;
    }
    shadow->blocks[shadow->block_count++] = (struct ft_shadow_block){.number = number};
    return index;
}

enum ft_miss_cause ft_miss_shadow_ask(struct ft_miss_shadow *shadow, uint64_t number,
                                      enum ft_miss_taking taking)
{
    if (shadow->newest != FT_NO_SHADOW && shadow->blocks[shadow->newest].number == number &&
        taking == FT_MISS_TAKES_IN && shadow->blocks[shadow->newest].was_asked)
        return FT_MISS_CONFLICT;
    const uint32_t index = find_block(shadow, number);
    if (index == FT_NO_SHADOW)
        return FT_MISS_COLD;
    struct ft_shadow_block *block = &shadow->blocks[index];
    const enum ft_miss_cause cause = !block->was_asked  ? FT_MISS_COLD
                                     : block->is_inside ? FT_MISS_CONFLICT
                                                        : FT_MISS_CAPACITY;
    block->was_asked = true;
    if (taking == FT_MISS_TAKES_IN || (taking == FT_MISS_USES && block->is_inside))
        put_in_front(shadow, index);
    else if (taking == FT_MISS_HANDS_ON && block->is_inside)
        take_out(shadow, index);
    return cause;
}

void ft_miss_shadow_insert(struct ft_miss_shadow *shadow, uint64_t number)
{
    const uint32_t index = find_block(shadow, number);
    if (index != FT_NO_SHADOW)
        put_in_front(shadow, index);
}
