/* The short numbers at the edges of their units, and the two forms of a table. */
#include <stdlib.h>
#include <string.h>

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
    check(ft_text_share, 0.123, "12.3 %");
    check(ft_text_share, 0, "0.0 %");
    check(ft_text_share, 0.0004, "0.04 %");
    check(ft_text_share, 1, "100.0 %");
    check(ft_text_bytes, 512, "512 B");
    check(ft_text_bytes, 32768, "32 KiB");
    check(ft_text_bytes, 1.5 * 1048576, "1.50 MiB");
    check(ft_text_bytes, 105.0 * 1048576, "105 MiB");
    check(ft_text_seconds, 1.5e-9, "1.50 ns");
    check(ft_text_seconds, 0.25, "250 ms");
    check(ft_text_seconds, 4000, "4000 s");
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

int main(void)
{
    check_numbers();
    check_table(false, "routine          misses   share\n"
                       "sch\xc3\xb6n, \"quoted\"  1.23 M  50.0 %\n"
                       "f2                    -  25.0 %\n");
    check_table(true, "name,misses,share\n"
                      "\"sch\xc3\xb6n, \"\"quoted\"\"\",1234567,0.5\n"
                      "f2,,0.25\n");
    return tap_plan_done();
}
