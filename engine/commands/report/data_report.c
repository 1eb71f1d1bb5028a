#include "engine/commands/report/data_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"

struct weighed {
    double weight;
    uint32_t object;
};

/* Heavier first; equal ones in their order. */
static int compare(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

static int choose(struct ft_data_rows *rows, size_t limit, struct ft_diag *diag)
{
    size_t all = ft_data_object_count(rows->objects), count = 0;
    struct weighed *weighed = calloc(all + 1, sizeof *weighed);
    rows->list = calloc(all + 1, sizeof *rows->list);
    if (!weighed || !rows->list) {
        free(weighed);
        return ft_fail_memory(diag, "a list of data");
    }
    for (size_t i = 0; i < all; i++)
        if (rows->rows[i * rows->width] > 0)
            weighed[count++] = (struct weighed){rows->rows[i * rows->width], (uint32_t)i};
    qsort(weighed, count, sizeof *weighed, compare);
    rows->touched_count = count;
    rows->count = count < limit ? count : limit;
    for (size_t i = 0; i < rows->count; i++)
        rows->list[i] = weighed[i].object;
    free(weighed);
    return FT_OK;
}

int ft_data_rows_init(struct ft_data_rows *rows, const struct ft_trace *trace,
                      const struct ft_data_runs *runs, const double *values, size_t width,
                      size_t limit, struct ft_diag *diag)
{
    size_t pair_count;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(runs, &pair_count);
    *rows = (struct ft_data_rows){
        .trace = trace, .objects = ft_data_runs_objects(runs), .width = width};
    rows->rows = calloc(ft_data_object_count(rows->objects) * width + 1, sizeof *rows->rows);
    if (!rows->rows)
        return ft_fail_memory(diag, "a table of data");
    for (size_t p = 0; p < pair_count; p++)
        for (size_t j = 0; j < width; j++)
            rows->rows[pairs[p].object * width + j] += values[p * width + j];
    int status = choose(rows, limit, diag);
    if (status)
        ft_data_rows_fini(rows);
    return status;
}

void ft_data_rows_fini(struct ft_data_rows *rows)
{
    free(rows->rows);
    free(rows->list);
    *rows = (struct ft_data_rows){0};
}

/* ---- one object ---- */

static const char *module_name(const struct ft_data_rows *rows, const struct ft_data_object *object)
{
    return object->module < ft_trace_module_count(rows->trace)
               ? ft_file_name(ft_trace_module(rows->trace, object->module)->path)
               : "";
}

void ft_data_columns(struct ft_table *table, bool csv)
{
    ft_table_column(table, "kind", "kind", false);
    ft_table_column(table, "data", "name", false);
    ft_table_column(table, "module", "module", false);
    if (csv) {
        ft_table_column(table, "file", "file", false);
        ft_table_column(table, "line", "line", true);
    } else {
        ft_table_column(table, "declared", "declared", false);
    }
    ft_table_column(table, "size", "bytes", true);
    ft_table_column(table, "blocks", "blocks", true);
}

void ft_data_cells(struct ft_table *table, bool csv, const struct ft_data_rows *rows,
                   uint32_t object)
{
    const struct ft_data_object *item = ft_data_object(rows->objects, object);
    ft_table_text(table, ft_data_kind_names[item->kind]);
    ft_table_text(table, item->name);
    ft_table_text(table, module_name(rows, item));
    if (csv) {
        ft_table_text(table, item->file);
        ft_table_format(table, "%" PRIu32, item->line);
    } else if (item->line) {
        ft_table_format(table, "%s:%" PRIu32, ft_file_name(item->file), item->line);
    } else {
        ft_table_text(table, "");
    }
    if (item->bytes)
        ft_table_bytes(table, (double)item->bytes);
    else
        ft_table_empty(table);
    if (item->blocks)
        ft_table_count(table, (double)item->blocks);
    else
        ft_table_empty(table);
}

json_t *ft_data_json(const struct ft_data_rows *rows, uint32_t object)
{
    const struct ft_data_object *item = ft_data_object(rows->objects, object);
    json_t *json = json_pack("{s:I, s:s, s:o, s:o}", "object", (json_int_t)object, "kind",
                             ft_data_kind_names[item->kind], "name", ft_json_text(item->name),
                             "module", ft_json_text(module_name(rows, item)));
    if (item->kind == FT_DATA_VARIABLE)
        return ft_json_merge(json,
                             json_pack("{s:o, s:I, s:I, s:I}", "file", ft_json_text(item->file),
                                       "line", (json_int_t)item->line, "offset",
                                       (json_int_t)item->offset, "bytes", (json_int_t)item->bytes));
    if (item->kind != FT_DATA_HEAP && item->kind != FT_DATA_MAPPING && item->kind != FT_DATA_BREAK)
        return json;
    return ft_json_merge(json,
                         json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "bytes",
                                   (json_int_t)item->bytes, "blocks", (json_int_t)item->blocks,
                                   "least_block_bytes", (json_int_t)item->min_block_bytes,
                                   "most_block_bytes", (json_int_t)item->max_block_bytes,
                                   "live_bytes", (json_int_t)item->live_bytes, "most_live_bytes",
                                   (json_int_t)item->max_live_bytes));
}

void ft_data_print_gaps(const struct ft_data_rows *rows, bool has_calls, FILE *stream)
{
    bool has_variables = false;
    for (size_t i = 0; i < ft_trace_module_count(rows->trace); i++)
        has_variables |= ft_trace_module(rows->trace, i)->variable_count > 0;
    if (ft_trace_module_count(rows->trace) == 0) {
        fprintf(stream, "The trace says nothing about memory: no modules, calls or mappings.\n");
        return;
    }
    if (!has_variables)
        fprintf(stream, "No variables are in the trace: an early capture, or stripped programs.\n");
    if (!has_calls)
        ft_print_wrapped(stream, 0,
                         "Blocks of the heap are not in the trace, only brk and mappings: capture "
                         "with --allocations.\n");
}
