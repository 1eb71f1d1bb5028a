/* Tables in lines of a given width: digits under each other, names without their middle, the last
 * columns gone and counted; and text broken at blanks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "tests/support/tap.h"

static void check_text(const char *columns, char *text, const char *expected, const char *what)
{
    if (!tap_ok(strcmp(text, expected) == 0, "%s columns: %s", columns, what))
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            printf("# %s\n", line);
    free(text);
}

static void check_table(const char *columns, const char *expected, const char *what)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    struct ft_table *table = ft_table_create();
    ft_table_column(table, "routine", "name", false);
    ft_table_column(table, "misses", "misses", true);
    ft_table_column(table, "ways", "ways", true);
    ft_table_drop_first(table);
    ft_table_column(table, "share", "share", true);
    ft_table_text(table, "a_routine_whose_name_is_far_too_long_to_print");
    ft_table_text(table, "1.23 M +-4.0 %");
    ft_table_text(table, "full");
    ft_table_share(table, 0.5);
    ft_table_text(table, "short");
    ft_table_text(table, "901 (0 to 2.00 k)");
    ft_table_count(table, 16);
    ft_table_share(table, 0.0625);
    ft_table_text(table, "none");
    ft_table_text(table, "unknown");
    ft_table_empty(table);
    ft_table_empty(table);
    setenv("COLUMNS", columns, 1);
    int status = ft_table_write(table, stream, false, NULL);
    fclose(stream);
    ft_table_destroy(table);
    tap_ok(status == FT_OK, "written");
    check_text(columns, text, expected, what);
}

static void check_title(void)
{
    char *text = NULL;
    size_t bytes = 0;
    struct ft_diag diag = {0};
    FILE *stream = open_memstream(&text, &bytes);
    struct ft_table *table = ft_table_create();
    setenv("COLUMNS", "80", 1);
    ft_table_column(table, "capacity", "capacity", true);
    ft_table_column(table, "4 KiB", "b", true);
    ft_table_column(table, "2 MiB", "b", true);
    ft_table_bytes(table, 1024);
    ft_table_share(table, 0.5);
    ft_table_share(table, 0.00001);
    tap_ok(ft_table_write(table, stream, false, &diag) == FT_OK, "written");
    fclose(stream);
    ft_table_destroy(table);
    check_text("80", text, "capacity   4 KiB    2 MiB\n   1 KiB  50.0 %  0.001 %\n",
               "titles that look like numbers end where their columns do");
}

static void check_wrapped(const char *columns, const char *expected)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    setenv("COLUMNS", columns, 1);
    ft_print_wrapped(stream, 2, "  --at  one %s three\nfour\n", "two");
    fclose(stream);
    check_text(columns, text, expected, "text is broken at blanks and indented");
}

int main(void)
{
    check_table(
        "100",
        "routine                                        misses                ways   share\n"
        "a_routine_whose_name_is_far_too_long_to_print  1.23 M +-4.0 %        full  50.0 %\n"
        "short                                           901   (0 to 2.00 k)    16   6.2 %\n"
        "none                                                        unknown     -       -\n",
        "all of it");
    check_table("60",
                "routine                   misses                ways   share\n"
                "a_routine_...ng_to_print  1.23 M +-4.0 %        full  50.0 %\n"
                "short                      901   (0 to 2.00 k)    16   6.2 %\n"
                "none                                   unknown     -       -\n"
                "(in full: --wide)\n",
                "names lose their middle");
    check_table("52",
                "routine                 misses                 share\n"
                "a_routine...g_to_print  1.23 M +-4.0 %        50.0 %\n"
                "short                    901   (0 to 2.00 k)   6.2 %\n"
                "none                                 unknown       -\n"
                "(1 more column: --wide)\n",
                "the column that goes first goes");
    check_table("40",
                "routine\n"
                "a_routine_whose_na...r_too_long_to_print\n"
                "short\n"
                "none\n"
                "(3 more columns: --wide)\n",
                "then the last ones");
    check_table("10",
                "routine\n"
                "a_r...rint\n"
                "short\n"
                "none\n"
                "(3 more columns: --wide)\n",
                "the first stays");
    check_title();
    check_wrapped("80", "  --at  one two three\nfour\n");
    check_wrapped("12", "  --at  one\n  two three\nfour\n");
    check_wrapped("0", "  --at  one two three\nfour\n");
    unsetenv("COLUMNS");
    ft_terminal_widen();
    tap_ok(ft_terminal_columns() == SIZE_MAX, "--wide: any width");
    return tap_plan_done();
}
