/*
 * Forecasts are those of inclusive values, as `predict` prints them: exclusive is what the scopes
 * inside leave of one. So each inclusive value is the sum that a profile's reader expects.
 */
#include "predict/commands/profile_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/cli/table.h"
#include "formats/scopes/scope_path.h"
#include "predict/commands/interval_data.h"

/* Of metrics.h, what a scope executes. */
static const struct {
    const char *name;
    size_t column;
} work[] = {
    {"accesses", FT_METRIC_ACCESSES},
    {"instructions", FT_METRIC_INSTRUCTIONS},
    {"flops", FT_METRIC_FLOPS},
};

#define WORK (sizeof work / sizeof *work)
/* Pairs of columns: work, seconds, misses of each level. */
#define COLUMNS(machine) (WORK + 1 + (machine)->level_count)

static void add_pair(struct ft_table *table, const char *name)
{
    static const char *const sorts[] = {"(I)", "(E)"};
    for (size_t i = 0; i < 2; i++) {
        char title[128];
        snprintf(title, sizeof title, "%s %s", name, sorts[i]);
        ft_table_column(table, title, title, true);
    }
}

static void add_columns(struct ft_table *table, const struct ft_machine *machine, bool several)
{
    static const char *const names[] = {"id",   "parent",     "kind",     "path",
                                        "file", "first_line", "last_line"};
    for (size_t i = 0; several && i < 2; i++)
        ft_table_column(table, i ? "at" : "machine", i ? "at" : "machine", false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ft_table_column(table, names[i], names[i], false);
    for (size_t i = 0; i < WORK; i++)
        add_pair(table, work[i].name);
    add_pair(table, "seconds");
    for (size_t level = 0; level < machine->level_count; level++) {
        char name[96];
        snprintf(name, sizeof name, "%s misses", machine->levels[level].name);
        add_pair(table, name);
    }
}

/* Beside the columns of metrics. */
#define SECONDS SIZE_MAX
#define MISSING (SIZE_MAX - 1) /* a level that the machine has not */

/* A column of the rows of inclusive metrics, or the seconds; NAN where unknown. */
static double inclusive_of(const struct ft_prediction *prediction, uint32_t scope, size_t column)
{
    if (column == SECONDS)
        return prediction->estimates ? prediction->estimates[scope].seconds : (double)NAN;
    if (column == MISSING)
        return (double)NAN;
    const size_t at = scope * prediction->width + column;
    return ft_interval_is_refused(&prediction->intervals[at]) ? (double)NAN
                                                              : prediction->inclusive[at];
}

/* The columns that are shown, those of a level the machine's own. */
static size_t column_of(const struct ft_prediction *prediction, const struct ft_machine *levels,
                        size_t index)
{
    if (index < WORK)
        return work[index].column;
    if (index == WORK)
        return SECONDS;
    const size_t level =
        ft_machine_find_level(prediction->machine, levels->levels[index - WORK - 1].name);
    return level < prediction->machine->level_count ? ft_set_assoc_column(level) : MISSING;
}

/* [scope], zero before: what the scopes inside of each add up to, those that are known. */
static void sum_children(const struct ft_prediction *prediction, size_t column, double *sums)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    for (uint32_t s = 1; s < scopes->scope_count; s++) {
        const double value = inclusive_of(prediction, s, column);
        if (!isnan(value))
            sums[scopes->scopes[s].parent] += value;
    }
}

static void add_scope(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope,
                      const char *path)
{
    const struct ft_scope *row = &scopes->scopes[scope];
    ft_table_count(table, scope);
    if (scope == 0)
        ft_table_empty(table);
    else
        ft_table_count(table, row->parent);
    ft_table_text(table, ft_scope_kind_names[row->kind]);
    ft_table_text(table, path);
    ft_table_text(table, row->file);
    ft_table_count(table, row->first_line);
    ft_table_count(table, row->last_line);
}

/* Differences of equal sums are nothing; nor is it less than nothing where the scopes inside, which
 * are forecast apart, add up to more. */
static double exclusive_value(double inclusive, double children)
{
    const double rest = inclusive - children;
    return rest < 1e-9 * inclusive ? 0 : rest;
}

/* sums: [index of a column * scopes + scope] */
static void add_metrics(struct ft_table *table, const struct ft_prediction *prediction,
                        uint32_t scope, const double *sums, const struct ft_machine *levels)
{
    for (size_t i = 0; i < COLUMNS(levels); i++) {
        const size_t column = column_of(prediction, levels, i);
        const double inclusive = inclusive_of(prediction, scope, column);
        const double children = sums[i * prediction->model->scopes.scope_count + scope];
        ft_table_end(table, inclusive);
        ft_table_end(table, isnan(inclusive) ? (double)NAN : exclusive_value(inclusive, children));
    }
}

static bool runs(const struct ft_prediction *prediction, uint32_t scope)
{
    const double *inclusive = prediction->inclusive + scope * prediction->width;
    return inclusive[FT_METRIC_ACCESSES] != 0 || inclusive[FT_METRIC_INSTRUCTIONS] != 0;
}

static int add_report(struct ft_table *table, const struct ft_report *report, bool several,
                      const struct ft_machine *levels, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_scopes *scopes = &prediction->model->scopes;
    double *sums = calloc(COLUMNS(levels) * scopes->scope_count, sizeof *sums);
    int status = sums ? FT_OK : ft_fail_memory(diag, "a table");
    for (size_t i = 0; !status && i < COLUMNS(levels); i++)
        sum_children(prediction, column_of(prediction, levels, i), sums + i * scopes->scope_count);
    for (uint32_t s = 0; !status && s < scopes->scope_count; s++) {
        char *path, point[FT_REPORT_POINT_TEXT];
        if (!runs(prediction, s))
            continue;
        status = ft_scope_path(scopes, s, &path, diag);
        if (status)
            break;
        if (several) {
            ft_table_text(table, prediction->machine->name);
            ft_table_text(table, ft_report_point_text(point, prediction));
        }
        add_scope(table, scopes, s, path);
        add_metrics(table, prediction, s, sums, levels);
        free(path);
    }
    free(sums);
    return status;
}

int ft_profiles_csv(const struct ft_report *reports, size_t report_count, FILE *stream,
                    struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    const struct ft_machine *levels = reports[0].prediction->machine;
    int status = FT_OK;
    add_columns(table, levels, report_count > 1);
    for (size_t r = 0; !status && r < report_count; r++)
        status = add_report(table, &reports[r], report_count > 1, levels, diag);
    if (!status)
        status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}
