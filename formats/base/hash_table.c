#include "formats/base/hash_table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 64

static void put(struct ft_hash_table *table, struct ft_hash_slot slot)
{
    size_t probe = slot.hash;
    while (table->slots[probe & (table->slot_count - 1)].end)
        probe++;
    table->slots[probe & (table->slot_count - 1)] = slot;
}

static bool grow(struct ft_hash_table *table)
{
    struct ft_hash_table grown = {
        .slot_count = table->slot_count ? 2 * table->slot_count : SLOTS_MIN,
        .count = table->count,
    };
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].end)
            put(&grown, table->slots[i]);
    free(table->slots);
    *table = grown;
    return true;
}

bool ft_hash_table_add(struct ft_hash_table *table, uint64_t hash, uint32_t index)
{
    if (2 * (table->count + 1) > table->slot_count && !grow(table))
        return false;
    put(table, (struct ft_hash_slot){(uint32_t)hash, index + 1});
    table->count++;
    return true;
}

void ft_hash_table_clear(struct ft_hash_table *table)
{
    table->count = 0;
    if (table->slots)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

void ft_hash_table_fini(struct ft_hash_table *table)
{
    free(table->slots);
    *table = (struct ft_hash_table){0};
}
