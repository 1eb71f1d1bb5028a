/*
 * Several predictions side by side: for each level a row for each machine that has it and each
 * size, then the bounds of the times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machines/commands/level_report.h"
#include "predict/commands/interval_text.h"
#include "predict/commands/report.h"
#include "predict/time_bounds.h"

char *ft_report_point_text(char text[FT_REPORT_POINT_TEXT], const struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    int length =
        snprintf(text, FT_REPORT_POINT_TEXT, "%.100s = %.15g", model->parameter, prediction->n);
    for (size_t i = 0; i < model->fixed_count && length < FT_REPORT_POINT_TEXT; i++)
        length += snprintf(text + length, FT_REPORT_POINT_TEXT - (size_t)length, ", %.100s = %.15g",
                           model->fixed[i].name, model->fixed[i].value);
    return text;
}

static void add_head(struct ft_table *table, const char *what,
                     const struct ft_prediction *prediction)
{
    char point[FT_REPORT_POINT_TEXT];
    ft_table_text(table, what);
    ft_table_text(table, prediction->machine->name);
    ft_table_text(table, ft_report_point_text(point, prediction));
}

static void add_level(struct ft_table *table, const struct ft_prediction *prediction, size_t level)
{
    const struct ft_level *of = &prediction->machine->levels[level];
    add_head(table, of->name, prediction);
    ft_table_bytes(table, (double)ft_level_capacity_bytes(of));
    for (size_t column = ft_fully_assoc_column(level); column <= ft_set_assoc_column(level);
         column++)
        ft_table_estimate(table, prediction->inclusive[column], &prediction->intervals[column],
                          ft_text_count);
}

/* The bounds of the times, a row each report. */
static int write_times(const struct ft_report *reports, size_t report_count, FILE *stream,
                       struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "", "what", false);
    ft_table_column(table, "machine", "machine", false);
    ft_table_column(table, "at", "at", false);
    ft_table_column(table, "estimate", "seconds", true);
    ft_table_column(table, "at least", "seconds_at_least", true);
    ft_table_column(table, "at most", "seconds_at_most", true);
    for (size_t r = 0; r < report_count; r++) {
        const struct ft_time_bounds bounds = ft_time_bounds_of(reports[r].prediction, 0);
        add_head(table, "time", reports[r].prediction);
        ft_table_bound(table, reports[r].prediction->estimates
                                  ? reports[r].prediction->estimates[0].seconds
                                  : NAN);
        ft_table_bound(table, bounds.least_seconds);
        ft_table_bound(table, bounds.most_seconds);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* Whether a report before has a level of that name: then its rows are there already. */
static bool is_done(const struct ft_report *reports, size_t count, const char *name)
{
    for (size_t r = 0; r < count; r++) {
        const struct ft_machine *machine = reports[r].prediction->machine;
        if (ft_machine_find_level(machine, name) < machine->level_count)
            return true;
    }
    return false;
}

static void add_levels(struct ft_table *table, const struct ft_report *reports, size_t report_count,
                       const char *name)
{
    for (size_t r = 0; r < report_count; r++) {
        const struct ft_prediction *prediction = reports[r].prediction;
        const size_t level = ft_machine_find_level(prediction->machine, name);
        if (level < prediction->machine->level_count)
            add_level(table, prediction, level);
    }
}

int ft_reports_compare(const struct ft_report *reports, size_t report_count, FILE *stream,
                       struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "machine", "machine", false);
    ft_table_column(table, "at", "at", false);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "fully assoc.", "fully_associative", true);
    ft_table_column(table, "set assoc.", "set_associative", true);
    for (size_t r = 0; r < report_count; r++) {
        const struct ft_machine *machine = reports[r].prediction->machine;
        for (size_t i = 0; i < machine->level_count; i++)
            if (!is_done(reports, r, machine->levels[i].name))
                add_levels(table, reports, report_count, machine->levels[i].name);
    }
    fputs("\nCompared: misses of the whole program\n\n", stream);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    if (status != FT_OK)
        return status;
    fputc('\n', stream);
    return write_times(reports, report_count, stream, diag);
}
