#include "formats/base/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

void ft_hex_text(const uint8_t *bytes, size_t count, char *ret_text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *ret_text++ = digits[bytes[i] >> 4];
        *ret_text++ = digits[bytes[i] & 15];
    }
    *ret_text = 0;
}

void ft_bytes_fini(struct ft_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct ft_bytes){0};
}

void ft_put(struct ft_bytes *bytes, const void *data, size_t length)
{
    if (bytes->failed || !FT_RESERVE(bytes->data, bytes->capacity, bytes->length + length)) {
        bytes->failed = true;
        return;
    }
    if (length)
        memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void ft_put_u8(struct ft_bytes *bytes, uint8_t value)
{
    ft_put(bytes, &value, 1);
}

void ft_put_u16(struct ft_bytes *bytes, uint16_t value)
{
    ft_put(bytes, &value, 2);
}

void ft_put_u32(struct ft_bytes *bytes, uint32_t value)
{
    ft_put(bytes, &value, 4);
}

void ft_put_u64(struct ft_bytes *bytes, uint64_t value)
{
    ft_put(bytes, &value, 8);
}

void ft_put_varint(struct ft_bytes *bytes, uint64_t value)
{
    uint8_t encoded[10];
    size_t length = 0;
    do {
        encoded[length] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        length++;
        value >>= 7;
    } while (value);
    ft_put(bytes, encoded, length);
}

void ft_put_string(struct ft_bytes *bytes, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    ft_put_varint(bytes, length);
    ft_put(bytes, text, length);
}

const uint8_t *ft_get(struct ft_cursor *cursor, size_t length)
{
    if (cursor->failed || length > cursor->length - cursor->position) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *data = cursor->data + cursor->position;
    cursor->position += length;
    return data;
}

/* Copies the next bytes into a value that is 0; leaves it so at the end of the data. */
static void get_value(struct ft_cursor *cursor, void *value, size_t size)
{
    const uint8_t *data = ft_get(cursor, size);
    if (data)
        memcpy(value, data, size);
}

uint8_t ft_get_u8(struct ft_cursor *cursor)
{
    const uint8_t *data = ft_get(cursor, 1);
    return data ? *data : 0;
}

uint16_t ft_get_u16(struct ft_cursor *cursor)
{
    uint16_t value = 0;
    get_value(cursor, &value, sizeof value);
    return value;
}

uint32_t ft_get_u32(struct ft_cursor *cursor)
{
    uint32_t value = 0;
    get_value(cursor, &value, sizeof value);
    return value;
}

uint64_t ft_get_u64(struct ft_cursor *cursor)
{
    uint64_t value = 0;
    get_value(cursor, &value, sizeof value);
    return value;
}

uint64_t ft_get_varint(struct ft_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = ft_get_u8(cursor);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    cursor->failed = true;
    return 0;
}

char *ft_get_string(struct ft_cursor *cursor)
{
    uint64_t length = ft_get_varint(cursor);
    const uint8_t *data = ft_get(cursor, length);
    char *text = data ? malloc(length + 1) : NULL;
    if (!text) {
        cursor->failed = true;
        return NULL;
    }
    memcpy(text, data, length);
    text[length] = 0;
    return text;
}
