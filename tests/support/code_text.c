#include "tests/support/code_text.h"

#include <stdlib.h>
#include <string.h>

size_t code_of_text(const char *text, uint8_t bytes[16])
{
    size_t count = 0;
    char *end;
    for (unsigned long value = strtoul(text, &end, 16); end != text && count < 16;
         value = strtoul(text, &end, 16)) {
        bytes[count++] = (uint8_t)value;
        text = end;
    }
    return count;
}

/* The value of a hexadecimal digit; -1: it is none. */
static int digit(char c)
{
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

size_t code_of_word(const char **text, uint8_t bytes[16])
{
    size_t count = 0;
    const char *at = *text;
    for (; count < 16 && digit(at[0]) >= 0 && digit(at[1]) >= 0; at += 2)
        bytes[count++] = (uint8_t)(16 * digit(at[0]) + digit(at[1]));
    *text = at + (*at == ' ');
    return count;
}
