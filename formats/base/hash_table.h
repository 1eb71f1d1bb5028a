/*
 * Finds things by key in about one probe, where the things stand in an array of their owner: the
 * table has the hash of each key beside the index. Only the owner knows keys, so it compares them:
 *
 *     uint32_t i;
 *     for (size_t probe = hash; ft_hash_next(&table, hash, &probe, &i);)
 *         if (items[i].key == key)
 *             return i;
 *
 * {0} is an empty table. Nothing is ever removed. Lookups are thread safe.
 */
#ifndef FT_FORMATS_BASE_HASH_TABLE_H
#define FT_FORMATS_BASE_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_hash_slot {
    uint32_t hash; /* its lower half, which also says where probing starts */
    uint32_t end;  /* the index + 1; 0: free */
};

struct ft_hash_table {
    struct ft_hash_slot *slots; /* linear probing */
    size_t slot_count;          /* a power of two, or 0; at most half of them used */
    size_t count;
};

/* Spreads keys that differ by powers of two, as addresses do, over all bits: Fibonacci hashing
 * (Knuth, TAOCP 3, 6.4), with the upper half folded into the lower. */
static inline uint64_t ft_hash_mix(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

/* The hash of a key of several words, one after the other. */
static inline uint64_t ft_hash_add(uint64_t hash, uint64_t word)
{
    return ft_hash_mix(hash ^ word);
}

/* The next index that may have the hash's key; false: no other has. *probe starts as the hash. */
static inline bool ft_hash_next(const struct ft_hash_table *table, uint64_t hash, size_t *probe,
                                uint32_t *ret_index)
{
    while (table->slot_count) {
        const struct ft_hash_slot *slot = &table->slots[(*probe)++ & (table->slot_count - 1)];
        if (!slot->end)
            return false;
        *ret_index = slot->end - 1;
        if (slot->hash == (uint32_t)hash)
            return true;
    }
    return false;
}

/* Adds an index below UINT32_MAX under a hash; false when out of memory. */
bool ft_hash_table_add(struct ft_hash_table *table, uint64_t hash, uint32_t index);
/* Removes all, and keeps the memory. */
void ft_hash_table_clear(struct ft_hash_table *table);
void ft_hash_table_fini(struct ft_hash_table *table);

#endif
