/*
 * Compared values (predict/compared_value.h) in tables and JSON, the same in all comparisons.
 */
#ifndef FT_PREDICT_COMMANDS_COMPARED_CELLS_H
#define FT_PREDICT_COMMANDS_COMPARED_CELLS_H

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "predict/compared_value.h"

/* Also of less than a nanosecond, and of less than one. */
ft_number_writer ft_text_small_seconds;
ft_number_writer ft_text_small_count;

/* As text: "1.23 M +-4 %", or without its interval; bounds of what is unknown; "unknown". */
void ft_compared_cell(struct ft_table *table, const struct ft_compared_value *value, bool is_time,
                      bool with_interval);

/* In CSV: the columns of a value and its ends, WHAT, WHAT_low and WHAT_high, or with a name in
 * front as in l1d_misses_low; and their cells, empty where nothing is known. */
void ft_compared_columns(struct ft_table *table, const char *name, const char *what);
void ft_compared_cells(struct ft_table *table, const struct ft_compared_value *value);

/* {NAME: value, NAME_interval: [low, high]}; null where nothing is known. */
json_t *ft_compared_json(const char *name, const struct ft_compared_value *value);

#endif
