/*
 * As text: the answer and what it was made from, levels, routines and loops, and with a check the
 * same beside the simulation.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"
#include "predict/commands/hierarchy_report.h"
#include "predict/commands/interval_text.h"
#include "predict/commands/report_parts.h"
#include "predict/commands/startup_sums.h"

typedef struct ft_hierarchy_forecast_report report_of;

static void add_column(struct ft_table *table, const double *values,
                       const struct ft_interval *intervals, size_t column)
{
    ft_table_estimate(table, values[column], &intervals[column], ft_text_count);
}

/* A figure of a level, of a scope. */
static void add_figure(struct ft_table *table, const report_of *report, size_t scope, size_t level,
                       enum ft_hierarchy_figure figure)
{
    const size_t column = ft_hierarchy_column(level, figure);
    add_column(table, ft_hierarchy_forecast_row(report, scope),
               ft_hierarchy_forecast_intervals(report, scope), column);
}

/* ---- the program ---- */

static void print_head(const report_of *report, FILE *stream)
{
    const struct ft_machine *machine = report->prediction->machine;
    const struct ft_hierarchy_forecast *forecast = report->forecast;
    const struct ft_interval *accesses =
        &ft_hierarchy_forecast_intervals(report, 0)[FT_HIERARCHY_ACCESSES];
    char point[FT_REPORT_POINT_TEXT], text[3][FT_NUMBER_TEXT];
    ft_print_wrapped(
        stream, 2,
        "%s, %s, on the hierarchy of %s (%s): %s accesses; blocks read from memory %s, written to "
        "it %s.\n",
        ft_file_name(forecast->model->program), ft_report_point_text(point, report->prediction),
        machine->name, machine->description,
        ft_text_estimate(text[0], ft_hierarchy_forecast_row(report, 0)[FT_HIERARCHY_ACCESSES],
                         accesses, ft_text_count),
        ft_text_estimate(text[1], forecast->totals[FT_TOTAL_MEMORY_READS],
                         &forecast->total_intervals[FT_TOTAL_MEMORY_READS], ft_text_count),
        ft_text_estimate(text[2], forecast->totals[FT_TOTAL_MEMORY_WRITES],
                         &forecast->total_intervals[FT_TOTAL_MEMORY_WRITES], ft_text_count));
    if (machine->instruction_level_count)
        ft_print_wrapped(stream, 0, "Without instruction levels: no fetches are made.\n");
    fprintf(stream, "%s\n", report->note->text);
}

/* Misses that there would be without the prefetcher, and are not. */
static void add_coverage(struct ft_table *table, const report_of *report, size_t level)
{
    const size_t useful = ft_total_column(level, FT_HIERARCHY_USEFUL_PREFETCHES);
    const size_t misses = ft_hierarchy_column(level, FT_HIERARCHY_MISSES);
    const double covered = report->forecast->totals[useful];
    const double missed = ft_hierarchy_forecast_row(report, 0)[misses];
    const uint8_t prefetch = report->forecast->machine.levels[level].behaviour.prefetch;
    if (prefetch == FT_PREFETCH_NONE || covered + missed <= 0 ||
        ft_interval_is_refused(&report->forecast->total_intervals[useful]) ||
        ft_interval_is_refused(&ft_hierarchy_forecast_intervals(report, 0)[misses]))
        ft_table_empty(table);
    else
        ft_table_share(table, covered / (covered + missed));
}

static void add_event(struct ft_table *table, const report_of *report, size_t level,
                      enum ft_hierarchy_event event)
{
    const size_t column = ft_total_column(level, event);
    ft_table_estimate(table, report->forecast->totals[column],
                      &report->forecast->total_intervals[column], ft_text_count);
}

static void add_level(struct ft_table *table, const report_of *report, size_t level)
{
    const size_t misses = ft_hierarchy_column(level, FT_HIERARCHY_MISSES);
    const double *row = ft_hierarchy_forecast_row(report, 0);
    ft_level_geometry_cells(table, &report->forecast->machine.levels[level]);
    add_figure(table, report, 0, level, FT_HIERARCHY_MISSES);
    if (ft_interval_is_refused(&ft_hierarchy_forecast_intervals(report, 0)[misses]))
        ft_table_empty(table);
    else
        ft_table_share(
            table, row[FT_HIERARCHY_ACCESSES] > 0 ? row[misses] / row[FT_HIERARCHY_ACCESSES] : 0);
    add_figure(table, report, 0, level, FT_HIERARCHY_WRITTEN);
    for (size_t cause = FT_HIERARCHY_CAUSES; cause < ft_hierarchy_figures_shown(report); cause++)
        add_figure(table, report, 0, level, cause);
    add_coverage(table, report, level);
    add_event(table, report, level, FT_HIERARCHY_PREFETCHES);
    add_event(table, report, level, FT_HIERARCHY_USEFUL_PREFETCHES);
    add_figure(table, report, 0, level, FT_HIERARCHY_ASKED);
    add_event(table, report, level, FT_HIERARCHY_EVICTIONS);
    add_event(table, report, level, FT_HIERARCHY_INVALIDATIONS);
}

static int print_levels(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    static const char *const behind[] = {"covered",  "prefetched", "useful",
                                         "accesses", "evicted",    "invalidated"};
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_level_geometry_columns(table);
    ft_table_column(table, "misses", "misses", true);
    ft_table_column(table, "of all", "of_all", true);
    ft_table_column(table, "written back", "write_backs", true);
    for (size_t i = FT_HIERARCHY_CAUSES; i < ft_hierarchy_figures_shown(report); i++)
        ft_table_column(table, ft_miss_cause_names[i - FT_HIERARCHY_CAUSES],
                        ft_hierarchy_figure_names[i], true);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        ft_table_column(table, behind[i], behind[i], true);
    for (size_t i = 0; i < report->forecast->machine.level_count; i++)
        add_level(table, report, i);
    return ft_report_finish(table, stream, diag);
}

/* ---- routines and loops ---- */

static bool shows_written(const report_of *report, size_t level)
{
    return ft_hierarchy_forecast_row(report, 0)[ft_hierarchy_column(level, FT_HIERARCHY_WRITTEN)] >
           0;
}

static void add_columns(struct ft_table *table, const report_of *report)
{
    char title[100];
    ft_scope_columns(table, false);
    ft_table_column(table, "accesses", "accesses", true);
    for (size_t i = 0; i < report->forecast->machine.level_count; i++) {
        const char *name = report->forecast->machine.levels[i].name;
        ft_table_column(table, name, name, true);
        snprintf(title, sizeof title, "%.80s written", name);
        if (shows_written(report, i))
            ft_table_column(table, title, title, true);
        for (size_t c = FT_HIERARCHY_CAUSES; c < ft_hierarchy_figures_shown(report); c++) {
            snprintf(title, sizeof title, "%.80s %s", name,
                     ft_miss_cause_names[c - FT_HIERARCHY_CAUSES]);
            ft_table_column(table, title, title, true);
        }
    }
}

static void add_figures(struct ft_table *table, const report_of *report, const double *values,
                        const struct ft_interval *intervals)
{
    add_column(table, values, intervals, FT_HIERARCHY_ACCESSES);
    for (size_t level = 0; level < report->forecast->machine.level_count; level++) {
        add_column(table, values, intervals, ft_hierarchy_column(level, FT_HIERARCHY_MISSES));
        if (shows_written(report, level))
            add_column(table, values, intervals, ft_hierarchy_column(level, FT_HIERARCHY_WRITTEN));
        for (size_t c = FT_HIERARCHY_CAUSES; c < ft_hierarchy_figures_shown(report); c++)
            add_column(table, values, intervals, ft_hierarchy_column(level, c));
    }
}

static int add_startup_row(struct ft_table *table, const report_of *report, struct ft_diag *diag)
{
    const struct ft_hierarchy_forecast *forecast = report->forecast;
    struct ft_startup_sums sums;
    FT_TRY(ft_startup_sums_init(&sums, &report->startup, forecast->inclusive, forecast->intervals,
                                forecast->width, diag));
    ft_startup_fold_cells(table, &report->startup);
    add_figures(table, report, sums.values, sums.intervals);
    ft_startup_sums_fini(&sums);
    return FT_OK;
}

static int print_loops(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    add_columns(table, report);
    for (size_t i = 0; i < report->count; i++) {
        const uint32_t scope = report->list[i];
        ft_scope_cells(table, false, &report->forecast->model->scopes, scope);
        add_figures(table, report, ft_hierarchy_forecast_row(report, scope),
                    ft_hierarchy_forecast_intervals(report, scope));
    }
    const int status = report->startup.count > 0 ? add_startup_row(table, report, diag) : FT_OK;
    if (status != FT_OK) {
        ft_table_destroy(table);
        return status;
    }
    fputs("\nMisses by routine and loop, with the loops nested in them:\n\n", stream);
    return ft_report_finish(table, stream, diag);
}

/* ---- the check ---- */

static void compare(struct ft_table *table, const report_of *report, size_t level,
                    const double *values, const struct ft_interval *intervals,
                    const double *simulated)
{
    static const enum ft_hierarchy_figure figures[] = {FT_HIERARCHY_MISSES, FT_HIERARCHY_WRITTEN};
    ft_table_text(table, report->forecast->machine.levels[level].name);
    for (size_t i = 0; i < 2; i++) {
        const size_t column = ft_hierarchy_column(level, figures[i]);
        ft_table_comparison(table, values[column], &intervals[column], simulated[column]);
    }
}

static void add_compared(struct ft_table *table, const report_of *report, uint32_t scope,
                         size_t level)
{
    compare(table, report, level, ft_hierarchy_forecast_row(report, scope),
            ft_hierarchy_forecast_intervals(report, scope),
            ft_hierarchy_simulated_row(report, scope));
}

static void add_compared_columns(struct ft_table *table)
{
    static const char *const titles[] = {"misses",       "simulated", "error",
                                         "written back", "simulated", "error"};
    ft_table_column(table, "level", "level", false);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i], titles[i], true);
}

static int print_checked_levels(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    add_compared_columns(table);
    ft_table_column(table, "useful prefetches", "useful_prefetches", true);
    ft_table_column(table, "simulated", "simulated", true);
    ft_table_column(table, "error", "error", true);
    for (size_t i = 0; i < report->forecast->machine.level_count; i++) {
        const size_t useful = ft_total_column(i, FT_HIERARCHY_USEFUL_PREFETCHES);
        add_compared(table, report, 0, i);
        ft_table_comparison(table, report->forecast->totals[useful],
                            &report->forecast->total_intervals[useful],
                            report->check->totals[useful]);
    }
    return ft_report_finish(table, stream, diag);
}

static void add_empty_cells(struct ft_table *table)
{
    ft_table_text(table, "");
    ft_table_text(table, "");
}

static int compare_startup(struct ft_table *table, const report_of *report, struct ft_diag *diag)
{
    const struct ft_hierarchy_forecast *forecast = report->forecast;
    struct ft_startup_sums sums;
    FT_TRY(ft_startup_sums_init(&sums, &report->startup, forecast->inclusive, forecast->intervals,
                                forecast->width, diag));
    double *simulated =
        ft_startup_fold_row(&report->startup, report->check->inclusive, forecast->width);
    for (size_t level = 0; simulated && level < forecast->machine.level_count; level++) {
        if (level == 0)
            ft_startup_fold_cells(table, &report->startup);
        else
            add_empty_cells(table);
        compare(table, report, level, sums.values, sums.intervals, simulated);
    }
    const int status = simulated ? FT_OK : ft_fail_memory(diag, "a table");
    free(simulated);
    ft_startup_sums_fini(&sums);
    return status;
}

static int print_checked_loops(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    add_compared_columns(table);
    for (size_t i = 0; i < report->count; i++)
        for (size_t level = 0; level < report->forecast->machine.level_count; level++) {
            if (level == 0) {
                ft_scope_cells(table, false, &report->forecast->model->scopes, report->list[i]);
            } else {
                add_empty_cells(table);
            }
            add_compared(table, report, report->list[i], level);
        }
    const int status = report->startup.count > 0 ? compare_startup(table, report, diag) : FT_OK;
    if (status != FT_OK) {
        ft_table_destroy(table);
        return status;
    }
    fputc('\n', stream);
    return ft_report_finish(table, stream, diag);
}

static int print_check(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    char text[2][FT_NUMBER_TEXT];
    fputc('\n', stream);
    ft_print_wrapped(
        stream, 0,
        "Predicted vs. simulated (from the trace, without fetches): %s accesses there; "
        "%s of them are in routines and loops that the model has\n\n",
        ft_text_count(text[0], ft_hierarchy_simulated_row(report, 0)[0]),
        ft_text_share(text[1], report->check->matched_share));
    FT_TRY(print_checked_levels(report, stream, diag));
    return print_checked_loops(report, stream, diag);
}

int ft_hierarchy_forecast_text(const report_of *report, FILE *stream, struct ft_diag *diag)
{
    print_head(report, stream);
    FT_TRY(print_levels(report, stream, diag));
    FT_TRY(print_loops(report, stream, diag));
    return report->check ? print_check(report, stream, diag) : FT_OK;
}
