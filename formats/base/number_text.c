#include "formats/base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* `value` with three significant digits, divided by `step` as often as it takes to be below it. */
static char *scaled(char *text, double value, double step, const char *const *units,
                    size_t unit_count)
{
    double size = fabs(value);
    size_t unit = 0;
    /* 999.5 would print as 1000: take it up a unit before it is rounded. */
    while (size >= (step < 1024 ? 999.5 : 1023.5) && unit + 1 < unit_count) {
        size /= step;
        unit++;
    }
    int digits = size >= 99.95 || (unit == 0 && size == rint(size)) ? 0 : size >= 9.995 ? 1 : 2;
    snprintf(text, FT_NUMBER_TEXT, "%s%.*f%s%s", value < 0 ? "-" : "", digits, size,
             *units[unit] ? " " : "", units[unit]);
    return text;
}

char *ft_text_count(char text[FT_NUMBER_TEXT], double value)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    return scaled(text, value, 1000, units, sizeof units / sizeof *units);
}

char *ft_text_share(char text[FT_NUMBER_TEXT], double share)
{
    double percent = 100 * share;
    snprintf(text, FT_NUMBER_TEXT, fabs(percent) < 0.095 && percent != 0 ? "%.1g %%" : "%.1f %%",
             percent);
    return text;
}

char *ft_text_bytes(char text[FT_NUMBER_TEXT], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    scaled(text, bytes, 1024, units, sizeof units / sizeof *units);
    /* Sizes of caches are integers more often than not: "32 KiB", not "32.0 KiB". */
    char *point = strstr(text, ".0 ");
    char *zeros = strstr(text, ".00 ");
    if (zeros)
        memmove(zeros, zeros + 3, strlen(zeros + 3) + 1);
    else if (point)
        memmove(point, point + 2, strlen(point + 2) + 1);
    return text;
}

char *ft_text_seconds(char text[FT_NUMBER_TEXT], double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return scaled(text, seconds * 1e9, 1000, units, sizeof units / sizeof *units);
}
