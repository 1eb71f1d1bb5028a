/*
 * Dense numbers for sparse keys: the first key seen is 0, the next new one 1, and so on. Used for
 * the 2 MiB regions that a program touches and for blocks larger than those. At most 2^32 - 1 keys.
 * Replay asks for each access that leaves the last few regions, so the keys stand in the table
 * itself: one cache line a lookup, where hash_table.h takes two.
 */
#ifndef FT_FORMATS_BASE_DENSE_IDS_H
#define FT_FORMATS_BASE_DENSE_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_dense_ids {
    uint64_t *keys; /* open addressing, linear probing; valid where ids[] is not empty */
    uint32_t *ids;
    size_t capacity; /* a power of two, at most half of it used */
    uint32_t count;
};

/* The number of `key`, a new one if it has none yet. */
int ft_dense_ids_find(struct ft_dense_ids *table, uint64_t key, uint32_t *ret_id,
                      struct ft_diag *diag);
/* keys: table->count of them, [number]. */
void ft_dense_ids_list(const struct ft_dense_ids *table, uint64_t *keys);
uint64_t ft_dense_ids_bytes(const struct ft_dense_ids *table);
void ft_dense_ids_fini(struct ft_dense_ids *table);

#endif
