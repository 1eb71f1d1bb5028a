/*
 * Between the files that make and write a table: what it consists of. All texts are in one array of
 * characters; cells hold positions in it.
 */
#ifndef FT_FORMATS_CLI_TABLE_CELLS_H
#define FT_FORMATS_CLI_TABLE_CELLS_H

#include <stdbool.h>
#include <stddef.h>

struct ft_table_column {
    size_t title, key; /* positions in characters */
    bool right, drop_first;
};

struct ft_table_cell {
    size_t text, csv;
    bool is_number;
    double number;
};

struct ft_table {
    struct ft_table_column *columns;
    size_t column_count, column_capacity;
    struct ft_table_cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    char *characters;
    size_t character_count, character_capacity;
    size_t stressed; /* the row that stands out, from 1 on; 0: none */
    bool failed;
};

#endif
