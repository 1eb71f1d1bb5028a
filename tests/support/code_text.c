#include "tests/support/code_text.h"

#include <stdlib.h>

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
