/*
 * Rows are summed over nested scopes, and the heaviest are shown.
 */
#include "engine/commands/simulate/alone_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"
#include "formats/commands/startup_fold.h"
#include "machines/commands/level_report.h"

struct report {
    const struct ft_alone_report *asked;
    const struct ft_machine *machine;
    const struct ft_simulated_trace *simulated;
    double *nested; /* rows with the scopes nested in them */
    uint32_t *list; /* scopes to show */
    size_t count;
    struct ft_startup_fold startup; /* routines that are not in the list, but folded */
};

static const double *row_of(const struct report *report, size_t scope)
{
    return report->nested + scope * report->simulated->width;
}

static json_t *levels_json(const struct report *report, const double *row)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < report->machine->level_count; i++)
        ft_json_append(&levels,
                       ft_json_merge(ft_level_json(&report->machine->levels[i]),
                                     json_pack("{s:I, s:I}", "simulated_fully_associative",
                                               (json_int_t)row[ft_simulated_fully_assoc_column(i)],
                                               "simulated_set_associative",
                                               (json_int_t)row[ft_simulated_set_assoc_column(i)])));
    return levels;
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = &report->simulated->metadata;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const double *row = row_of(report, report->list[i]);
        json_t *figures = json_pack("{s:I, s:o}", "accesses", (json_int_t)row[0], "levels",
                                    levels_json(report, row));
        ft_json_append(
            &loops,
            ft_json_merge(ft_scope_json(&report->simulated->scopes, report->list[i]), figures));
    }
    const double *total = row_of(report, 0);
    json_t *document = json_pack(
        "{s:o, s:o, s:o, s:s, s:I, s:{s:I, s:o}, s:o}", "program", ft_json_text(metadata->program),
        "machine", ft_json_text(report->machine->name), "parameters", ft_parameters_json(metadata),
        "trace", report->simulated->content_hash, "threads",
        (json_int_t)report->simulated->thread_count, "total", "accesses", (json_int_t)total[0],
        "levels", levels_json(report, total), "loops", loops);
    if (report->asked->members)
        document = ft_json_merge(document, report->asked->members);
    return ft_json_write(document, stdout, diag);
}

static void add_figures(struct ft_table *table, const struct report *report, bool csv,
                        const double *row)
{
    ft_table_count(table, row[0]);
    ft_level_cells(table, csv, report->machine, row + 1);
}

static void add_row(struct ft_table *table, const struct report *report, bool csv, uint32_t scope)
{
    ft_scope_cells(table, csv, &report->simulated->scopes, scope);
    add_figures(table, report, csv, row_of(report, scope));
}

static int add_startup_row(struct ft_table *table, const struct report *report,
                           struct ft_diag *diag)
{
    double *row = ft_startup_fold_row(&report->startup, report->nested, report->simulated->width);
    if (!row)
        return ft_fail_memory(diag, "a table");
    ft_startup_fold_cells(table, &report->startup);
    add_figures(table, report, false, row);
    free(row);
    return FT_OK;
}

/* CSV has the program as its first row. */
static int print_scopes(const struct report *report, bool csv, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, csv);
    ft_table_column(table, "accesses", "accesses", true);
    ft_level_columns(table, csv, report->machine, "simulated");
    if (csv)
        add_row(table, report, csv, 0);
    for (size_t i = 0; i < report->count; i++)
        add_row(table, report, csv, report->list[i]);
    int status = report->startup.count > 0 ? add_startup_row(table, report, diag) : FT_OK;
    if (status == FT_OK)
        status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

static int print_text(const struct report *report, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    const struct ft_metadata *metadata = &report->simulated->metadata;
    const double *total = row_of(report, 0);
    ft_program_head_print(metadata, stdout, ", simulated on %s: %s\n", report->machine->name,
                          report->machine->description);
    printf("exact LRU; every level sees all %s accesses", ft_text_count(text, total[0]));
    if (report->simulated->thread_count > 1)
        printf(" of its cores, on each one of %" PRIu32 " threads",
               report->simulated->thread_count);
    printf("\n%s\n", report->asked->note ? report->asked->note : "");
    int status = ft_level_table_print(report->machine, total + 1, total[0], stdout, diag);
    if (status != FT_OK)
        return status;
    printf("\nBy routine and loop, with the loops nested in them:\n\n");
    return print_scopes(report, false, diag);
}

static int report_all(struct report *report, struct ft_diag *diag)
{
    const struct ft_report_options *options = report->asked->options;
    const struct ft_simulated_trace *simulated = report->simulated;
    size_t scopes = simulated->scopes.scope_count, numbers = scopes * simulated->width;
    double *weights = calloc(scopes, sizeof *weights);
    report->nested = malloc(numbers * sizeof *report->nested);
    int status = weights && report->nested ? FT_OK : ft_fail_memory(diag, "a report");
    if (status == FT_OK) {
        memcpy(report->nested, simulated->own, numbers * sizeof *report->nested);
        ft_scopes_add_nested(&simulated->scopes, report->nested, simulated->width);
        for (size_t i = 0; i < scopes; i++)
            weights[i] = row_of(report, i)[report->asked->sort_column];
        status = ft_startup_fold_select(&report->startup, options->folds_startup,
                                        &simulated->scopes, weights, options->loop_limit,
                                        &report->list, &report->count, diag);
    }
    if (status == FT_OK)
        status = options->form == FT_REPORT_JSON  ? print_json(report, diag)
                 : options->form == FT_REPORT_CSV ? print_scopes(report, true, diag)
                                                  : print_text(report, diag);
    free(weights);
    ft_startup_fold_fini(&report->startup);
    free(report->nested);
    free(report->list);
    return status;
}

int ft_alone_report(const struct ft_alone_report *asked, struct ft_diag *diag)
{
    struct report report = {
        .asked = asked, .machine = asked->options->machines, .simulated = asked->simulated};
    return report_all(&report, diag);
}
