#include "formats/text/text_format.h"

#include <string.h>

const struct ft_text_format *const ft_text_formats[] = {
    &ft_text_lackey,    &ft_text_din,      &ft_text_csv,        &ft_text_oracle_general,
    &ft_text_pinatrace, &ft_text_champsim, &ft_text_drmemtrace, NULL,
};

bool ft_text_format_is_written(const struct ft_text_format *format)
{
    return format->write || format->writer;
}

int ft_text_format_find(const char *name, bool is_written, const char *others,
                        const struct ft_text_format **ret_format, struct ft_diag *diag)
{
    char names[256], *end = names;
    for (size_t i = 0; ft_text_formats[i]; i++) {
        if (is_written && !ft_text_format_is_written(ft_text_formats[i]))
            continue;
        if (name && strcmp(ft_text_formats[i]->name, name) == 0) {
            *ret_format = ft_text_formats[i];
            return FT_OK;
        }
        end = ft_text_write_string(end, end > names ? ", " : "");
        end = ft_text_write_string(end, ft_text_formats[i]->name);
    }
    *end = 0;
    return ft_fail(diag, FT_ERROR_USAGE, "-f %s: unknown format; expected one of %s%s%s",
                   name ? name : "", names, others ? ", " : "", others ? others : "");
}

uint64_t ft_text_get_u64(const uint8_t *bytes)
{
    return (uint64_t)ft_text_get_u32(bytes + 4) << 32 | ft_text_get_u32(bytes);
}

uint32_t ft_text_get_u32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void ft_text_set_u64(uint8_t *bytes, uint64_t number)
{
    ft_text_set_u32(bytes, (uint32_t)number);
    ft_text_set_u32(bytes + 4, (uint32_t)(number >> 32));
}

void ft_text_set_u32(uint8_t *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static unsigned digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return (unsigned)(digit - '0');
    if (digit >= 'a' && digit <= 'f')
        return (unsigned)(digit - 'a') + 10;
    if (digit >= 'A' && digit <= 'F')
        return (unsigned)(digit - 'A') + 10;
    return UINT32_MAX;
}

/* Characters of the word at hand, for messages. */
static int word_length(const char *word)
{
    size_t length = strcspn(word, " \t,:");
    return length < 40 ? (int)length : 40;
}

int ft_text_read_number(const char **at, unsigned base, const char *what, uint64_t *ret_number,
                        struct ft_diag *diag)
{
    const char *word = *at, *digits = word;
    uint64_t number = 0;
    bool overflows = false;
    if (base == 0) {
        bool is_hexadecimal = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
        base = is_hexadecimal ? 16 : 10;
        digits += is_hexadecimal ? 2 : 0;
    }
    const char *end = digits;
    for (unsigned value; (value = digit_value(*end)) < base; end++)
        overflows |= __builtin_mul_overflow(number, base, &number) ||
                     __builtin_add_overflow(number, value, &number);
    if (end == digits || !strchr(" \t,:", *end)) /* what ends a word, or the end of the line */
        return ft_fail(diag, FT_ERROR_DATA, "%s '%.*s' is not %s", what, word_length(word), word,
                       base == 16 ? "a hexadecimal number" : "an integer");
    if (overflows)
        return ft_fail(diag, FT_ERROR_DATA, "%s '%.*s' does not fit in 64 bits", what,
                       word_length(word), word);
    *at = end;
    *ret_number = number;
    return FT_OK;
}

char *ft_text_write_hex(char *text, uint64_t number, unsigned digits)
{
    unsigned needed = number ? (67U - (unsigned)__builtin_clzll(number)) / 4 : 1;
    if (needed < digits)
        needed = digits;
    for (unsigned i = needed; i-- > 0; number >>= 4)
        text[i] = "0123456789abcdef"[number & 15];
    return text + needed;
}

char *ft_text_write_decimal(char *text, uint64_t number)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *text++ = digits[--count];
    return text;
}

char *ft_text_write_string(char *text, const char *string)
{
    while (*string)
        *text++ = *string++;
    return text;
}
