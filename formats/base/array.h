/*
 * Growing arrays, whose pointer, count and capacity the owner keeps, and binary search in arrays
 * sorted by a 64-bit key.
 */
#ifndef FT_FORMATS_BASE_ARRAY_H
#define FT_FORMATS_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for `need` items of item_bytes in *items, at least doubling. False when out of memory;
 * the array is then as it was. */
bool ft_reserve(void **items, size_t *capacity, size_t need, size_t item_bytes);

/* ft_reserve for a typed pointer: FT_RESERVE(list->items, list->capacity, list->count + 1). */
#define FT_RESERVE(items, capacity, need)                                                          \
    ((need) <= (capacity) || ft_reserve((void **)&(items), &(capacity), (need), sizeof *(items)))

/* How many items of an array have a key below `bound`; the array is sorted by the keys, which are
 * uint64_t at key_offset of each item. */
size_t ft_count_below(const void *items, size_t count, size_t item_bytes, size_t key_offset,
                      uint64_t bound);

/* The same for a typed pointer: FT_COUNT_BELOW(list->items, list->count, start, address). */
#define FT_COUNT_BELOW(items, count, key, bound)                                                   \
    ft_count_below(items, count, sizeof *(items), offsetof(__typeof__(*(items)), key), bound)

/* How many have a key of at most `limit`, which is below UINT64_MAX. */
#define FT_COUNT_UP_TO(items, count, key, limit) FT_COUNT_BELOW(items, count, key, (limit) + 1)

#endif
