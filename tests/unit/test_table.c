/* The short numbers at the edges of their units, and the two forms of a table. */
#include <stdlib.h>
#include <string.h>

#include "formats/cli/sparkline.h"
#include "formats/cli/table.h"
#include "tests/support/tap.h"

typedef char *text_function(char text[FT_NUMBER_TEXT], double value);

static void check(text_function *function, double value, const char *expected)
{
    char text[FT_NUMBER_TEXT];
    function(text, value);
    tap_ok(strcmp(text, expected) == 0, "%.10g is '%s', expected '%s'", value, text, expected);
}

static void check_numbers(void)
{
    check(ft_text_count, 0, "0");
    check(ft_text_count, 7, "7");
    check(ft_text_count, 999, "999");
    check(ft_text_count, 999.5, "1.00 k");
    check(ft_text_count, 1234, "1.23 k");
    check(ft_text_count, 12345, "12.3 k");
    check(ft_text_count, 999499, "999 k");
    check(ft_text_count, 999500, "1.00 M");
    check(ft_text_count, 1.23e9, "1.23 G");
    check(ft_text_count, -4.5e6, "-4.50 M");
    check(ft_text_count, 0.5, "0.50");
    check(ft_text_count, 9.99e14, "999 T");
    check(ft_text_count, 1e15, "1.00e+15");
    check(ft_text_count, 2000000013e18, "2.00e+27");
    check(ft_text_share, 0.123, "12.3 %");
    check(ft_text_share, 0, "0.0 %");
    check(ft_text_share, 0.0004, "0.04 %");
    check(ft_text_share, 1, "100.0 %");
    check(ft_text_share, 1.04, "100.0 %");
    check(ft_text_percent, 1.04, "104.0 %");
    check(ft_text_bytes, 512, "512 B");
    check(ft_text_bytes, 32768, "32 KiB");
    check(ft_text_bytes, 1.5 * 1048576, "1.50 MiB");
    check(ft_text_bytes, 105.0 * 1048576, "105 MiB");
    check(ft_text_seconds, 1.5e-9, "1.50 ns");
    check(ft_text_seconds, 0.25, "250 ms");
    check(ft_text_seconds, 4000, "4000 s");
    check(ft_text_seconds, 7199, "7199 s");
    check(ft_text_seconds, 9000, "2.50 h");
    check(ft_text_seconds, 1e6, "11.6 days");
    check(ft_text_seconds, 1e8, "3.17 years");
    check(ft_text_seconds, 1e24, "3.17e+16 years");
}

static void check_range(double value, double low, double high, const char *expected)
{
    char text[FT_RANGE_TEXT];
    ft_text_range(text, value, low, high, ft_text_count);
    tap_ok(strcmp(text, expected) == 0, "%g in %g .. %g is '%s', expected '%s'", value, low, high,
           text, expected);
}

static void check_ranges(void)
{
    check_range(1e6, 0.98e6, 1.04e6, "1.00 M +-4.0 %");
    check_range(1, 0, 2, "1 (0 to 2)");
    check_range(1e6, 0.7e6, 1.3e6, "1.00 M +-30.0 %");
    check_range(1e6, 0.69e6, 1.31e6, "1.00 M (690 k to 1.31 M)");
    check_range(1e6, 0.99e6, 1.2e6, "1.00 M (990 k to 1.20 M)");
    check_range(1e-4, 0.3e-4, 1.78e-4, "0.00");
    check_range(1.12e-3, 0, 2, "0.00 (0 to 2)");
    check_range(0, 0, 3, "0 (0 to 3)");
    check_range(10, 5, 25, "10 (5 to 25)");
}

static void check_table(bool csv, const char *expected)
{
    struct ft_table *table = ft_table_create();
    ft_table_column(table, "routine", "name", false);
    ft_table_column(table, "misses", "misses", true);
    ft_table_column(table, "share", "share", true);
    ft_table_text(table, "sch\xc3\xb6n, \"quoted\"");
    ft_table_count(table, 1234567);
    ft_table_share(table, 0.5);
    ft_table_format(table, "f%d", 2);
    ft_table_empty(table);
    ft_table_share(table, 0.25);
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    struct ft_diag diag;
    int status = ft_table_write(table, stream, csv, &diag);
    fclose(stream);
    if (!tap_ok(status == FT_OK && strcmp(text, expected) == 0, "table, csv %d", csv))
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            printf("# %s\n", line);
    free(text);
    ft_table_destroy(table);
}

static void check_sparkline(const char *locale, const char *expected)
{
    static const double values[] = {0, 0.01, 4, 4.01, 8};
    char text[FT_SPARKLINE_TEXT(5)];
    setenv("LC_ALL", locale, 1);
    ft_sparkline(text, values, 5);
    tap_ok(strcmp(text, expected) == 0, "bars in the locale %s: '%s'", locale, text);
}

static void check_sparklines(void)
{
    static const double nothing[] = {0, 0};
    char text[FT_SPARKLINE_TEXT(2)];
    check_sparkline("C", ".1458");
    check_sparkline("en_GB.UTF-8", " ▁▄▅█");
    tap_ok(strcmp(ft_sparkline(text, nothing, 2), "  ") == 0, "nothing at all: blank");
}

int main(void)
{
    check_numbers();
    check_ranges();
    check_table(false, "routine          misses   share\n"
                       "sch\xc3\xb6n, \"quoted\"  1.23 M  50.0 %\n"
                       "f2                    -  25.0 %\n");
    check_table(true, "name,misses,share\n"
                      "\"sch\xc3\xb6n, \"\"quoted\"\"\",1234567,0.5\n"
                      "f2,,0.25\n");
    check_sparklines();
    return tap_plan_done();
}
