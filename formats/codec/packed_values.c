/*
 * The smallest value is the base. The lowest bit in which any value differs from the first is the
 * shift, and the largest difference from the base gives the width.
 */
#include "formats/codec/packed_values.h"

#include <string.h>

bool ft_packing_choose(const uint64_t *values, size_t count, struct ft_packing *ret_packing)
{
    uint64_t min = values[0], max = values[0], differing = 0;
    for (size_t i = 1; i < count; i++) {
        uint64_t value = values[i];
        min = value < min ? value : min;
        max = value > max ? value : max;
        differing |= value ^ values[0];
    }
    struct ft_packing packing = {.base = min};
    if (differing) {
        packing.shift = (unsigned)__builtin_ctzll(differing);
        packing.width = 64 - (unsigned)__builtin_clzll((max - min) >> packing.shift);
    }
    *ret_packing = packing;
    return packing.width <= FT_PACKED_WIDTH_MAX;
}

void ft_pack(const struct ft_packing *packing, const uint64_t *values, size_t count,
             uint8_t *packed)
{
    uint64_t bits = 0; /* fewer than 8 are left over from field to field */
    unsigned bit_count = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= ((values[i] - packing->base) >> packing->shift) << bit_count;
        bit_count += packing->width;
        memcpy(packed, &bits, sizeof bits);
        packed += bit_count / 8;
        bits >>= bit_count & ~7U;
        bit_count %= 8;
    }
}

void ft_unpack(const struct ft_packing *packing, const uint8_t *packed, size_t count,
               uint64_t *ret_values)
{
    const size_t bytes = ft_packed_bytes(count, packing->width);
    const uint64_t mask = ((uint64_t)1 << packing->width) - 1;
    size_t bit = 0;
    for (size_t i = 0; i < count; i++, bit += packing->width) {
        uint64_t bits = 0;
        size_t at = bit / 8;
        if (at + sizeof bits <= bytes)
            memcpy(&bits, packed + at, sizeof bits);
        else if (at < bytes)
            memcpy(&bits, packed + at, bytes - at);
        ret_values[i] = packing->base + ((bits >> bit % 8 & mask) << packing->shift);
    }
}
