#include "formats/base/number_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PREFIXED_MAX  1e15 /* from here on powers of ten are easier to read than prefixes */
#define SYMMETRIC_MAX 0.3  /* beyond this an interval is easier to read by its ends */
#define EITHER_SIDE   0.05 /* below this it does not matter which side is nearer */
#define HOUR_SECONDS  3600
#define DAY_SECONDS   86400
#define YEAR_SECONDS  31557600 /* of 365.25 days */

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
    static const char *const units[] = {"", "k", "M", "G", "T"};
    if (fabs(value) < PREFIXED_MAX)
        return scaled(text, value, 1000, units, sizeof units / sizeof *units);
    snprintf(text, FT_NUMBER_TEXT, "%.2e", value);
    return text;
}

char *ft_text_percent(char text[FT_NUMBER_TEXT], double ratio)
{
    double percent = 100 * ratio;
    snprintf(text, FT_NUMBER_TEXT, fabs(percent) < 0.095 && percent != 0 ? "%.1g %%" : "%.1f %%",
             percent);
    return text;
}

char *ft_text_share(char text[FT_NUMBER_TEXT], double share)
{
    return ft_text_percent(text, share > 1 ? 1 : share);
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
    const double size = fabs(seconds);
    if (size < 2 * HOUR_SECONDS)
        return scaled(text, seconds * 1e9, 1000, units, sizeof units / sizeof *units);
    ft_text_count(text, size < 2 * DAY_SECONDS ? seconds / HOUR_SECONDS
                        : size < YEAR_SECONDS  ? seconds / DAY_SECONDS
                                               : seconds / YEAR_SECONDS);
    strcat(text, size < 2 * DAY_SECONDS ? " h" : size < YEAR_SECONDS ? " days" : " years");
    return text;
}

char *ft_text_range(char text[FT_RANGE_TEXT], double value, double low, double high,
                    ft_number_writer *write)
{
    char number[FT_NUMBER_TEXT], from[FT_NUMBER_TEXT], to[FT_NUMBER_TEXT];
    const double half = fmax(high - value, value - low);
    write(number, value);
    write(from, low);
    write(to, high);
    /* A percentage of what is printed as 0 would say nothing. */
    const bool is_zero = strspn(number, "0.") == strcspn(number, " ");
    const double nearer = fmin(high - value, value - low);
    const bool symmetric = half <= EITHER_SIDE * value || nearer >= half / 2;
    if (half <= SYMMETRIC_MAX * value && symmetric && !is_zero)
        snprintf(text, FT_RANGE_TEXT, "%s +-%s", number, ft_text_percent(from, half / value));
    else if (strcmp(to, number) == 0)
        snprintf(text, FT_RANGE_TEXT, "%s", number);
    else
        snprintf(text, FT_RANGE_TEXT, "%s (%s to %s)", number, from, to);
    return text;
}
