#include "formats/base/dense_ids.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash_table.h"

#define EMPTY             UINT32_MAX
#define SMALLEST_CAPACITY 1024

/* The position of the key, or the free one where it belongs. */
static size_t find_position(const struct ft_dense_ids *table, uint64_t key)
{
    size_t position = ft_hash_mix(key) & (table->capacity - 1);
    while (table->ids[position] != EMPTY && table->keys[position] != key)
        position = (position + 1) & (table->capacity - 1);
    return position;
}

static int grow(struct ft_dense_ids *table, struct ft_diag *diag)
{
    struct ft_dense_ids grown = {
        .capacity = table->capacity ? 2 * table->capacity : SMALLEST_CAPACITY,
        .count = table->count,
    };
    grown.keys = malloc(grown.capacity * sizeof *grown.keys);
    grown.ids = malloc(grown.capacity * sizeof *grown.ids);
    if (!grown.keys || !grown.ids) {
        ft_dense_ids_fini(&grown);
        return ft_fail_memory(diag, "the table of regions");
    }
    memset(grown.ids, 0xff, grown.capacity * sizeof *grown.ids);
    for (size_t i = 0; i < table->capacity; i++)
        if (table->ids[i] != EMPTY) {
            size_t position = find_position(&grown, table->keys[i]);
            grown.keys[position] = table->keys[i];
            grown.ids[position] = table->ids[i];
        }
    struct ft_dense_ids old = *table;
    *table = grown;
    ft_dense_ids_fini(&old);
    return FT_OK;
}

int ft_dense_ids_find(struct ft_dense_ids *table, uint64_t key, uint32_t *ret_id,
                      struct ft_diag *diag)
{
    if (2 * (size_t)table->count >= table->capacity) {
        int status = grow(table, diag);
        if (status)
            return status;
    }
    size_t position = find_position(table, key);
    if (table->ids[position] == EMPTY) {
        if (table->count == EMPTY)
            return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^32 - 1 regions are touched");
        table->keys[position] = key;
        table->ids[position] = table->count++;
    }
    *ret_id = table->ids[position];
    return FT_OK;
}

void ft_dense_ids_list(const struct ft_dense_ids *table, uint64_t *keys)
{
    for (size_t i = 0; i < table->capacity; i++)
        if (table->ids[i] != EMPTY)
            keys[table->ids[i]] = table->keys[i];
}

uint64_t ft_dense_ids_bytes(const struct ft_dense_ids *table)
{
    return table->capacity * (sizeof *table->keys + sizeof *table->ids);
}

void ft_dense_ids_fini(struct ft_dense_ids *table)
{
    free(table->keys);
    free(table->ids);
    *table = (struct ft_dense_ids){0};
}
