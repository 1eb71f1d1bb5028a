/*
 * Dense numbers for sparse keys: the first key seen is 0, the next new one 1, and so on. Used for
 * the 2 MiB regions that a program touches and for blocks larger than those. At most 2^32 - 1 keys.
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

/* Spreads keys that differ by powers of two, as array starts do, over the upper bits. */
static inline uint64_t ft_dense_hash(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

#endif
