#include "engine/data/pair_table.h"

#include <stdlib.h>

#include "formats/base/array.h"

void ft_pair_table_fini(struct ft_pair_table *table)
{
    free(table->pairs);
    free(table->slots);
    *table = (struct ft_pair_table){0};
}

static uint32_t *slot_of(const struct ft_pair_table *table, uint32_t reference, uint32_t object)
{
    uint64_t key = (uint64_t)reference << 32 | object;
    size_t slot = (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->slot_count - 1);
    for (;;) {
        uint32_t pair = table->slots[slot];
        if (!pair || (table->pairs[pair - 1].reference == reference &&
                      table->pairs[pair - 1].object == object))
            return &table->slots[slot];
        slot = (slot + 1) & (table->slot_count - 1);
    }
}

static bool grow(struct ft_pair_table *table)
{
    size_t count = table->slot_count ? 2 * table->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    for (size_t i = 0; i < table->count; i++)
        *slot_of(table, table->pairs[i].reference, table->pairs[i].object) = (uint32_t)i + 1;
    return true;
}

int ft_pair_table_find(struct ft_pair_table *table, uint32_t reference, uint32_t object,
                       uint32_t *ret_pair, struct ft_diag *diag)
{
    if (2 * (table->count + 1) > table->slot_count && !grow(table))
        return ft_fail_memory(diag, "the data of a program");
    uint32_t *slot = slot_of(table, reference, object);
    if (!*slot) {
        if (table->count == UINT32_MAX - 1 ||
            !FT_RESERVE(table->pairs, table->capacity, table->count + 1))
            return ft_fail_memory(diag, "the data of a program");
        table->pairs[table->count++] =
            (struct ft_data_pair){.reference = reference, .object = object};
        *slot = (uint32_t)table->count;
    }
    *ret_pair = *slot - 1;
    return FT_OK;
}
