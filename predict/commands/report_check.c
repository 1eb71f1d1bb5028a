/*
 * Predicted beside simulated, as text: the levels, then the routines and loops.
 */
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

static void add_check_cells(struct ft_table *table, const struct ft_report *report, size_t scope,
                            size_t level)
{
    const double *predicted = ft_report_row(report, scope) + ft_fully_assoc_column(level);
    const struct ft_interval *intervals =
        ft_report_intervals(report, scope) + ft_fully_assoc_column(level);
    const double *simulated = simulated_row(report, scope) + 1 + 2 * level;
    ft_table_text(table, report->prediction->machine->levels[level].name);
    ft_table_comparison(table, predicted[0], &intervals[0], simulated[0]);
    ft_table_comparison(table, predicted[1], &intervals[1], simulated[1]);
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
                ft_table_text(table, "");
                ft_table_text(table, "");
            }
            add_check_cells(table, report, report->list[i], level);
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
