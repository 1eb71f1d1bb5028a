/*
 * CSV: a row for each scope, the program first. JSON: an object, with the events of levels in its
 * total.
 */
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"
#include "predict/commands/hierarchy_report.h"
#include "predict/commands/interval_data.h"

typedef struct ft_hierarchy_forecast_report report_of;

/* ---- CSV ---- */

static void add_level_columns(struct ft_table *table, const report_of *report, const char *format)
{
    for (size_t i = 0; i < report->forecast->machine.level_count; i++)
        for (size_t figure = 0; figure < ft_hierarchy_figures_shown(report); figure++) {
            char what[100];
            snprintf(what, sizeof what, "%s%s%s", *format == 's' ? "simulated_" : "",
                     ft_hierarchy_figure_names[figure], *format == '_' ? format : "");
            ft_level_column(table, &report->forecast->machine.levels[i], what);
        }
}

static void add_columns(struct ft_table *table, const report_of *report)
{
    ft_scope_columns(table, true);
    ft_table_column(table, "accesses", "accesses", true);
    add_level_columns(table, report, "");
    if (report->check) {
        ft_table_column(table, "simulated_accesses", "simulated_accesses", true);
        add_level_columns(table, report, "simulated");
    }
    ft_table_column(table, "accesses_low", "accesses_low", true);
    add_level_columns(table, report, "_low");
    ft_table_column(table, "accesses_high", "accesses_high", true);
    add_level_columns(table, report, "_high");
}

/* The columns of a row that are shown, in order; false behind the last. */
static bool next_column(const report_of *report, size_t *place, size_t *ret_column)
{
    const size_t shown = ft_hierarchy_figures_shown(report), at = (*place)++;
    *ret_column =
        at == 0 ? FT_HIERARCHY_ACCESSES : ft_hierarchy_column((at - 1) / shown, (at - 1) % shown);
    return at <= shown * report->forecast->machine.level_count;
}

static void add_row(struct ft_table *table, const report_of *report, uint32_t scope)
{
    const double *row = ft_hierarchy_forecast_row(report, scope);
    const struct ft_interval *intervals = ft_hierarchy_forecast_intervals(report, scope);
    size_t column;
    ft_scope_cells(table, true, &report->forecast->model->scopes, scope);
    for (size_t at = 0; next_column(report, &at, &column);)
        ft_table_known(table, row[column], &intervals[column]);
    for (size_t at = 0; report->check && next_column(report, &at, &column);)
        ft_table_count(table, ft_hierarchy_simulated_row(report, scope)[column]);
    for (size_t at = 0; next_column(report, &at, &column);)
        ft_table_end(table, intervals[column].low);
    for (size_t at = 0; next_column(report, &at, &column);)
        ft_table_end(table, intervals[column].high);
}

int ft_hierarchy_forecast_csv(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    add_columns(table, report);
    add_row(table, report, 0);
    for (size_t i = 0; i < report->count; i++)
        add_row(table, report, report->list[i]);
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- JSON ---- */

/* A number under its name, with its interval, and beside the simulation's, if simulated is not
 * NULL. */
static json_t *number_json(const char *name, double value, const struct ft_interval *interval,
                           const double *simulated)
{
    char key[3][100];
    snprintf(key[0], sizeof key[0], "%.60s_interval", name);
    json_t *number = json_pack("{s:o, s:o}", name, ft_estimate_json(value, interval), key[0],
                               ft_interval_json(interval));
    if (!simulated)
        return number;
    snprintf(key[1], sizeof key[1], "simulated_%.60s", name);
    snprintf(key[2], sizeof key[2], "%.60s_error", name);
    return ft_json_merge(number, json_pack("{s:o, s:o}", key[1], ft_json_number(*simulated), key[2],
                                           ft_error_json(value, interval, *simulated)));
}

static json_t *events_json(const report_of *report, size_t level)
{
    json_t *events = json_object();
    for (size_t event = 0; event < FT_HIERARCHY_EVENTS; event++) {
        const size_t n = ft_total_column(level, event);
        events = ft_json_merge(
            events, number_json(ft_hierarchy_event_names[event], report->forecast->totals[n],
                                &report->forecast->total_intervals[n],
                                report->check ? &report->check->totals[n] : NULL));
    }
    return events;
}

static json_t *level_json(const report_of *report, uint32_t scope, size_t level)
{
    const struct ft_level *described = &report->forecast->machine.levels[level];
    json_t *entry = ft_level_json(described);
    if (scope == 0)
        entry =
            ft_json_merge(entry, json_pack("{s:s}", "replacement",
                                           ft_replacement_names[described->behaviour.replacement]));
    for (size_t figure = 0; figure < ft_hierarchy_figures_shown(report); figure++) {
        const size_t column = ft_hierarchy_column(level, figure);
        entry = ft_json_merge(
            entry,
            number_json(ft_hierarchy_figure_names[figure],
                        ft_hierarchy_forecast_row(report, scope)[column],
                        &ft_hierarchy_forecast_intervals(report, scope)[column],
                        report->check ? &ft_hierarchy_simulated_row(report, scope)[column] : NULL));
    }
    return scope == 0 ? ft_json_merge(entry, events_json(report, level)) : entry;
}

static json_t *row_json(const report_of *report, uint32_t scope)
{
    const size_t column = FT_HIERARCHY_ACCESSES;
    json_t *levels = json_array();
    for (size_t i = 0; i < report->forecast->machine.level_count; i++)
        ft_json_append(&levels, level_json(report, scope, i));
    return ft_json_merge(
        number_json("accesses", ft_hierarchy_forecast_row(report, scope)[column],
                    &ft_hierarchy_forecast_intervals(report, scope)[column],
                    report->check ? &ft_hierarchy_simulated_row(report, scope)[column] : NULL),
        json_pack("{s:o}", "levels", levels));
}

static json_t *total_json(const report_of *report)
{
    static const char *const names[FT_TOTAL_LEVELS] = {"memory_reads", "memory_writes"};
    json_t *total = row_json(report, 0);
    for (size_t n = 0; n < FT_TOTAL_LEVELS; n++)
        total = ft_json_merge(total, number_json(names[n], report->forecast->totals[n],
                                                 &report->forecast->total_intervals[n],
                                                 report->check ? &report->check->totals[n] : NULL));
    return total;
}

int ft_hierarchy_forecast_json(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_model *model = report->forecast->model;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++)
        ft_json_append(&loops, ft_json_merge(ft_scope_json(&model->scopes, report->list[i]),
                                             row_json(report, report->list[i])));
    json_t *document =
        json_pack("{s:o, s:o, s:{s:o}, s:I, s:o, s:o}", "program", ft_json_text(model->program),
                  "machine", ft_json_text(report->forecast->machine.name), "parameters",
                  model->parameter, ft_json_number(report->prediction->n), "seed",
                  (json_int_t)report->forecast->seed, "total", total_json(report), "loops", loops);
    document = ft_json_merge(document, report->note->members);
    report->note->members = NULL;
    if (report->check)
        document = ft_json_merge(document, json_pack("{s:{s:s, s:o}}", "check", "trace",
                                                     report->check->trace_hash, "matched_share",
                                                     ft_json_number(report->check->matched_share)));
    return ft_json_write(document, stream, diag);
}
