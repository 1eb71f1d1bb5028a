/*
 * Byte strings: how tables become chunks and chunks become tables. Little-endian, varint = LEB128.
 *
 * Writing: a failed allocation sets `failed` and later puts do nothing; check once at the end.
 * Reading: reading past the end sets `failed` and gives zeros; check once at the end.
 */
#ifndef FT_FORMATS_BASE_BYTES_H
#define FT_FORMATS_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Signed numbers as small unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... Both are in two's
 * complement. */
static inline uint64_t ft_zigzag(uint64_t number)
{
    return number << 1 ^ (number >> 63 ? UINT64_MAX : 0);
}
static inline uint64_t ft_unzigzag(uint64_t coded)
{
    return coded >> 1 ^ (coded & 1 ? UINT64_MAX : 0);
}

/* Two hexadecimal digits for each of the bytes, and a 0. */
void ft_hex_text(const uint8_t *bytes, size_t count, char *ret_text);

struct ft_bytes {
    uint8_t *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void ft_bytes_fini(struct ft_bytes *bytes);
void ft_put(struct ft_bytes *bytes, const void *data, size_t length);
void ft_put_u8(struct ft_bytes *bytes, uint8_t value);
void ft_put_u16(struct ft_bytes *bytes, uint16_t value);
void ft_put_u32(struct ft_bytes *bytes, uint32_t value);
void ft_put_u64(struct ft_bytes *bytes, uint64_t value);
void ft_put_varint(struct ft_bytes *bytes, uint64_t value);
void ft_put_string(struct ft_bytes *bytes, const char *text); /* varint length, then the bytes */

struct ft_cursor {
    const uint8_t *data;
    size_t length;
    size_t position;
    bool failed;
};

/* Gives a pointer to `length` bytes inside the cursor's data, or NULL (and failed). */
const uint8_t *ft_get(struct ft_cursor *cursor, size_t length);
uint8_t ft_get_u8(struct ft_cursor *cursor);
uint16_t ft_get_u16(struct ft_cursor *cursor);
uint32_t ft_get_u32(struct ft_cursor *cursor);
uint64_t ft_get_u64(struct ft_cursor *cursor);
uint64_t ft_get_varint(struct ft_cursor *cursor);
/* A malloc'ed, 0-terminated copy that the caller frees; NULL (and failed) at the end of data. */
char *ft_get_string(struct ft_cursor *cursor);

#endif
