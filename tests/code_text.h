/*
 * The bytes of an instruction as a test spells them: "48 8b 03".
 */
#ifndef FT_TESTS_CODE_TEXT_H
#define FT_TESTS_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* How many there are. */
static inline size_t code_of_text(const char *text, uint8_t bytes[16])
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

#endif
