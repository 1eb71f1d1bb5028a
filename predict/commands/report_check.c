/*
 * Predicted beside simulated, as text: the levels, then the routines and loops.
 */
#include <stdlib.h>

#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"
#include "predict/commands/interval_text.h"
#include "predict/commands/report_parts.h"

static const double *simulated_row(const struct ft_report *report, size_t scope)
{
    return report->check->inclusive + scope * report->check->width;
}

static void add_check_columns(struct ft_table *table)
{
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "full", "predicted_fully_associative", true);
    ft_table_column(table, "simulated", "simulated_fully_associative", true);
    ft_table_column(table, "error", "fully_associative_error", true);
    ft_table_column(table, "set", "predicted_set_associative", true);
    ft_table_column(table, "simulated", "simulated_set_associative", true);
    ft_table_column(table, "error", "set_associative_error", true);
}

/* values, intervals: of a row of the report; checked: the same, simulated. */
static void add_checked(struct ft_table *table, const struct ft_report *report, size_t level,
                        const double *values, const struct ft_interval *intervals,
                        const double *checked)
{
    const double *predicted = values + ft_fully_assoc_column(level);
    const double *simulated = checked + 1 + 2 * level;
    intervals += ft_fully_assoc_column(level);
    ft_table_text(table, report->prediction->machine->levels[level].name);
    ft_table_comparison(table, predicted[0], &intervals[0], simulated[0]);
    ft_table_comparison(table, predicted[1], &intervals[1], simulated[1]);
}

static void add_check_cells(struct ft_table *table, const struct ft_report *report, size_t scope,
                            size_t level)
{
    add_checked(table, report, level, ft_report_row(report, scope),
                ft_report_intervals(report, scope), simulated_row(report, scope));
}

static void add_empty_cells(struct ft_table *table)
{
    ft_table_text(table, "");
    ft_table_text(table, "");
}

static int add_startup_cells(struct ft_table *table, const struct ft_report *report,
                             struct ft_diag *diag)
{
    struct ft_startup_sums sums;
    FT_TRY(ft_report_startup_sums(report, &sums, diag));
    double *checked =
        ft_startup_fold_row(report->startup, report->check->inclusive, report->check->width);
    for (size_t level = 0; checked && level < report->prediction->machine->level_count; level++) {
        if (level == 0)
            ft_startup_fold_cells(table, report->startup);
        else
            add_empty_cells(table);
        add_checked(table, report, level, sums.values, sums.intervals, checked);
    }
    const int status = checked ? FT_OK : ft_fail_memory(diag, "a table");
    ft_startup_sums_fini(&sums);
    free(checked);
    return status;
}

static int print_check_total(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    char text[FT_NUMBER_TEXT], simulated[FT_NUMBER_TEXT], share[FT_NUMBER_TEXT];
    if (!table)
        return ft_fail_memory(diag, "a table");
    fputc('\n', stream);
    ft_print_wrapped(
        stream, 0,
        "Predicted vs. simulated (exact, from the trace): accesses %s vs. %s; %s of the simulated "
        "accesses are in routines and loops that the model has\n\n",
        ft_text_estimate(text, ft_report_row(report, 0)[FT_METRIC_ACCESSES],
                         &ft_report_intervals(report, 0)[FT_METRIC_ACCESSES], ft_text_count),
        ft_text_count(simulated, simulated_row(report, 0)[0]),
        ft_text_share(share, report->check->matched_share));
    add_check_columns(table);
    for (size_t i = 0; i < report->prediction->machine->level_count; i++)
        add_check_cells(table, report, 0, i);
    return ft_report_finish(table, stream, diag);
}

static int print_check_scopes(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    add_check_columns(table);
    for (size_t i = 0; i < report->count; i++)
        for (size_t level = 0; level < report->prediction->machine->level_count; level++) {
            if (level == 0) {
                ft_scope_cells(table, false, &report->prediction->model->scopes, report->list[i]);
            } else {
                add_empty_cells(table);
            }
            add_check_cells(table, report, report->list[i], level);
        }
    const int status =
        ft_report_folds_startup(report) ? add_startup_cells(table, report, diag) : FT_OK;
    if (status != FT_OK) {
        ft_table_destroy(table);
        return status;
    }
    fputc('\n', stream);
    return ft_report_finish(table, stream, diag);
}

int ft_report_check_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    FT_TRY(print_check_total(report, stream, diag));
    if (!ft_report_has_loops(report))
        return FT_OK;
    return print_check_scopes(report, stream, diag);
}
