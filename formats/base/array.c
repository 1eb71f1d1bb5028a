#include "formats/base/array.h"

#include <stdint.h>
#include <stdlib.h>

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
