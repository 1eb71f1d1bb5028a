#include "engine/data/pair_table.h"

#include <stdlib.h>

#include "formats/base/array.h"

void ft_pair_table_fini(struct ft_pair_table *table)
{
    free(table->pairs);
    ft_hash_table_fini(&table->numbers);
    *table = (struct ft_pair_table){0};
}

int ft_pair_table_find(struct ft_pair_table *table, uint32_t reference, uint32_t object,
                       uint32_t *ret_pair, struct ft_diag *diag)
{
    const uint64_t hash = ft_hash_mix((uint64_t)reference << 32 | object);
    for (size_t probe = hash; ft_hash_next(&table->numbers, hash, &probe, ret_pair);)
        if (table->pairs[*ret_pair].reference == reference &&
            table->pairs[*ret_pair].object == object)
            return FT_OK;
    if (table->count == UINT32_MAX - 1 ||
        !FT_RESERVE(table->pairs, table->capacity, table->count + 1) ||
        !ft_hash_table_add(&table->numbers, hash, (uint32_t)table->count))
        return ft_fail_memory(diag, "the data of a program");
    *ret_pair = (uint32_t)table->count;
    table->pairs[table->count++] = (struct ft_data_pair){.reference = reference, .object = object};
    return FT_OK;
}
