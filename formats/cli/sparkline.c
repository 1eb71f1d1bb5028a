#include "formats/cli/sparkline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HEIGHTS 8

/* As setlocale would find it, which commands do not call: numbers keep their points. */
static bool is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
    }
    return false;
}

char *ft_sparkline(char *text, const double *values, size_t count)
{
    static const char *const blocks[HEIGHTS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const digits[HEIGHTS + 1] = {".", "1", "2", "3", "4", "5", "6", "7", "8"};
    const char *const *bars = is_utf8() ? blocks : digits;
    double tallest = 0;
    char *end = text;
    for (size_t i = 0; i < count; i++)
        tallest = fmax(tallest, values[i]);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, bars[tallest > 0 ? (size_t)ceil(HEIGHTS * values[i] / tallest) : 0]);
    *end = 0;
    return text;
}
