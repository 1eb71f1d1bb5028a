/*
 * Tables of results: aligned columns with short numbers as text, in lines that are no wider than
 * the terminal, or CSV or JSON with full ones for programs, from the same cells.
 *
 * Cells are added row by row, left to right. ft_table_write reports a failed allocation. Titles are
 * copied. Not thread safe.
 */
#ifndef FT_FORMATS_CLI_TABLE_H
#define FT_FORMATS_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/number_text.h"
#include "formats/base/status.h"

struct ft_table;

struct ft_table *ft_table_create(void); /* NULL: out of memory */
void ft_table_destroy(struct ft_table *table);

/* All columns come before the first cell, as text by importance: where a line is too narrow
 * (terminal.h), names lose their middle, then the last columns go. `key` is the column's name in
 * CSV. */
void ft_table_column(struct ft_table *table, const char *title, const char *key, bool right);
/* The column added last goes before those without this. */
void ft_table_drop_first(struct ft_table *table);

/* The row whose cells were added last stands out on a terminal. */
void ft_table_stress_row(struct ft_table *table);

void ft_table_text(struct ft_table *table, const char *text);
__attribute__((format(printf, 2, 3))) void ft_table_format(struct ft_table *table,
                                                           const char *format, ...);
/* Short as text, with all digits of the value, up to 15, in CSV. */
void ft_table_count(struct ft_table *table, double value);
void ft_table_share(struct ft_table *table, double share);   /* CSV: the share itself */
void ft_table_percent(struct ft_table *table, double ratio); /* likewise; not bounded by 100 % */
void ft_table_bytes(struct ft_table *table, double bytes);
void ft_table_seconds(struct ft_table *table, double seconds);
/* A number that is shown as `text`. */
void ft_table_labelled(struct ft_table *table, const char *text, double value);
/* No value here: "-" as text, nothing in CSV, null in JSON. */
void ft_table_empty(struct ft_table *table);

/* CSV as in RFC 4180, with \n: fields with commas, quotes or newlines in quotes. */
int ft_table_write(const struct ft_table *table, FILE *stream, bool csv, struct ft_diag *diag);
/* A list of objects, one per row, with the columns' keys; NULL when out of memory. */
struct json_t *ft_table_json(const struct ft_table *table);

#endif
