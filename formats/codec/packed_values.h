/*
 * Frame-of-reference packing of unpredictable values: each is base + (field << shift), in fields of
 * `width` bits, lowest bit first, without gaps (docs/trace-format.md, "spans").
 */
#ifndef FT_FORMATS_CODEC_PACKED_VALUES_H
#define FT_FORMATS_CODEC_PACKED_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FT_PACKED_WIDTH_MAX   56U
#define FT_PACKED_BYTES_SLACK 8U /* that packing may write past its bytes */

struct ft_packing {
    uint64_t base;
    unsigned shift, width;
};

static inline size_t ft_packed_bytes(size_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

/* Chooses how `count` values (at least one) are packed; false if a field would be too wide. */
bool ft_packing_choose(const uint64_t *values, size_t count, struct ft_packing *ret_packing);

/* Writes ft_packed_bytes; the slack after them gets zeros or nothing. */
void ft_pack(const struct ft_packing *packing, const uint64_t *values, size_t count,
             uint8_t *packed);

/* Reads only the bytes that ft_pack wrote. */
void ft_unpack(const struct ft_packing *packing, const uint8_t *packed, size_t count,
               uint64_t *ret_values);

#endif
