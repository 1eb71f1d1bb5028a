/*
 * Two tables: the objects, and under each routine and loop those that it touches.
 */
#include <inttypes.h>

#include "engine/commands/structure/data_by_scope.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

#define OBJECTS_OF_A_SCOPE 8 /* shown */

static int print_objects(const struct ft_data_by_scope *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_data_rows *rows = &report->rows;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    double all = 0;
    for (size_t i = 0; i < ft_data_object_count(rows->objects); i++)
        all += rows->rows[i * rows->width + FT_DATA_ACCESSES];
    ft_data_columns(table, false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "share", "share", true);
    ft_table_column(table, "loads", "loads", true);
    ft_table_column(table, "stores", "stores", true);
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = rows->rows + rows->list[i] * rows->width;
        ft_data_cells(table, false, rows, rows->list[i]);
        ft_table_count(table, row[FT_DATA_ACCESSES]);
        ft_table_share(table, all > 0 ? row[FT_DATA_ACCESSES] / all : 0);
        ft_table_count(table, row[FT_DATA_LOADS]);
        ft_table_count(table, row[FT_DATA_STORES]);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static void stride_cell(struct ft_table *table, const struct ft_scope_data *item)
{
    if (item->stride_kind == FT_PAIR_STRIDE_NONE)
        ft_table_empty(table);
    else if (item->stride_kind == FT_PAIR_STRIDE_SEVERAL)
        ft_table_text(table, "several");
    else
        ft_table_format(table, "%" PRId64, item->stride);
}

static void add_scope(const struct ft_data_by_scope *report, uint32_t scope, struct ft_table *table)
{
    size_t first = 0;
    while (first < report->count && report->items[first].scope != scope)
        first++;
    for (size_t i = first;
         i < report->count && report->items[i].scope == scope && i < first + OBJECTS_OF_A_SCOPE;
         i++) {
        const struct ft_scope_data *item = &report->items[i];
        const struct ft_data_object *object = ft_data_object(report->rows.objects, item->object);
        if (i == first) {
            ft_scope_cells(table, false, &report->scopes, scope);
        } else {
            ft_table_text(table, "");
            ft_table_text(table, "");
        }
        ft_table_text(table, ft_data_kind_names[object->kind]);
        ft_table_text(table, object->name);
        ft_table_count(table, (double)item->accesses);
        ft_table_count(table, (double)item->stores);
        stride_cell(table, item);
    }
}

static void add_startup_row(const struct ft_data_by_scope *report, struct ft_table *table)
{
    uint64_t accesses = 0, stores = 0;
    for (size_t i = 0; i < report->startup.count; i++)
        for (size_t j = 0; j < report->count; j++)
            if (report->items[j].scope == report->startup.routines[i]) {
                accesses += report->items[j].accesses;
                stores += report->items[j].stores;
            }
    ft_startup_fold_cells(table, &report->startup);
    ft_table_text(table, "");
    ft_table_text(table, "");
    ft_table_count(table, (double)accesses);
    ft_table_count(table, (double)stores);
    ft_table_empty(table);
}

static int print_scopes(const struct ft_data_by_scope *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    ft_table_column(table, "kind", "kind", false);
    ft_table_column(table, "data", "name", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "stores", "stores", true);
    ft_table_column(table, "stride", "stride", true);
    for (size_t i = 0; i < report->list_count; i++)
        add_scope(report, report->list[i], table);
    if (report->startup.count)
        add_startup_row(report, table);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_data_by_scope_text(const struct ft_data_by_scope *report, FILE *stream, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    ft_program_head_print(metadata, stream, ": %s accesses of %zu objects\n",
                          ft_text_count(text, (double)metadata->accesses),
                          report->rows.touched_count);
    ft_data_print_gaps(&report->rows, ft_data_runs_has_calls(report->runs), stream);
    fputc('\n', stream);
    int status = print_objects(report, stream, diag);
    if (status)
        return status;
    fprintf(stream, "\nBy routine and loop, including nested loops, at most %d objects each:\n\n",
            OBJECTS_OF_A_SCOPE);
    return print_scopes(report, stream, diag);
}
