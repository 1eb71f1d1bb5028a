/*
 * Data objects in tables, CSV and JSON (docs/json.md, "Data"): sums the metrics of pairs of
 * reference and object by object, and chooses the objects to show.
 */
#ifndef FT_ENGINE_COMMANDS_REPORT_DATA_REPORT_H
#define FT_ENGINE_COMMANDS_REPORT_DATA_REPORT_H

#include "engine/data/data_runs.h"
#include "formats/cli/json.h"
#include "formats/cli/table.h"

struct ft_data_rows {
    const struct ft_trace *trace;
    const struct ft_data_objects *objects;
    size_t width;
    double *rows;   /* [object * width + column] */
    uint32_t *list; /* objects to show, heaviest first */
    size_t count, touched_count;
};

/* values: [pair * width + column]; column 0 is the weight. Shows at most `limit` objects, none of
 * weight 0. */
int ft_data_rows_init(struct ft_data_rows *rows, const struct ft_trace *trace,
                      const struct ft_data_runs *runs, const double *values, size_t width,
                      size_t limit, struct ft_diag *diag);
void ft_data_rows_fini(struct ft_data_rows *rows);

/* The columns that identify a row's object, and their cells. */
void ft_data_columns(struct ft_table *table, bool csv);
void ft_data_cells(struct ft_table *table, bool csv, const struct ft_data_rows *rows,
                   uint32_t object);
json_t *ft_data_json(const struct ft_data_rows *rows, uint32_t object);

/* Prints a line on what this trace cannot reveal about its data; nothing if it reveals all. */
void ft_data_print_gaps(const struct ft_data_rows *rows, bool has_calls, FILE *stream);

#endif
