/*
 * A row of numbers as bars of one character each: blocks of eight heights where the locale is
 * UTF-8, else digits, eighths of the tallest. What is above 0 shows.
 */
#ifndef FT_FORMATS_CLI_SPARKLINE_H
#define FT_FORMATS_CLI_SPARKLINE_H

#include <stddef.h>

/* Bytes for so many bars. */
#define FT_SPARKLINE_TEXT(count) (3 * (count) + 1)

/* values: [count], not negative. Returns text, [FT_SPARKLINE_TEXT(count)]. */
char *ft_sparkline(char *text, const double *values, size_t count);

#endif
