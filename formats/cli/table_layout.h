/*
 * Tables as text in lines of a given width: which columns are shown, how wide they are, and cells
 * whose digits stand under each other. Plain values; used by table.c.
 */
#ifndef FT_FORMATS_CLI_TABLE_LAYOUT_H
#define FT_FORMATS_CLI_TABLE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FT_TABLE_GAP 2 /* blanks between columns */

/* A column's cells are split into a number, its unit and what follows ("1.23", " M", " +-4 %"), and
 * each part is aligned by itself; a text is one part. */
struct ft_table_column_layout {
    const char *title;
    bool right;      /* numbers */
    bool drop_first; /* the first to go where the width does not do */
    bool hidden;
    size_t natural;            /* the widest cell that is a text */
    size_t number, unit, rest; /* widths of the parts */
    size_t width;              /* as it is printed */
};

/* Takes a cell into account. */
void ft_table_layout_add(struct ft_table_column_layout *column, const char *text);
/* Fits the columns into lines of that width: long texts get shorter, then columns go, the last ones
 * first, but never the first. Returns how many are hidden. */
size_t ft_table_layout_fit(struct ft_table_column_layout *columns, size_t count, size_t line_width);
/* Whether texts of columns that are shown lost their middle. */
bool ft_table_layout_is_shortened(const struct ft_table_column_layout *columns, size_t count);
/* Prints a cell, or a title; blanks behind it stay pending until something follows. */
void ft_table_layout_print(const struct ft_table_column_layout *column, const char *text,
                           size_t *pending_blanks, FILE *stream);

#endif
