/*
 * Growing arrays: a pointer, a count and a capacity that their owner keeps, and one function.
 */
#ifndef FT_FORMATS_BASE_ARRAY_H
#define FT_FORMATS_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `need` items of item_bytes in *items, at least doubling. False when out of memory;
 * the array is then as it was. */
bool ft_reserve(void **items, size_t *capacity, size_t need, size_t item_bytes);

/* ft_reserve for a typed pointer: FT_RESERVE(list->items, list->capacity, list->count + 1). */
#define FT_RESERVE(items, capacity, need)                                                          \
    ((need) <= (capacity) || ft_reserve((void **)&(items), &(capacity), (need), sizeof *(items)))

#endif
