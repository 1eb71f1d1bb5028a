#include "formats/base/array.h"

#include <stdlib.h>
#include <string.h>

bool ft_reserve(void **items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (need <= *capacity)
        return true;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2)
            return false;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / item_bytes)
        return false;
    void *grown = realloc(*items, wanted * item_bytes);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

size_t ft_count_below(const void *items, size_t count, size_t item_bytes, size_t key_offset,
                      uint64_t bound)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t key;
        memcpy(&key, (const char *)items + middle * item_bytes + key_offset, sizeof key);
        if (key < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
