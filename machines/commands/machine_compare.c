/*
 * machine compare: values of several machines side by side. Levels are the same where they are at
 * the same place of their lists, whatever they are called; units have no common names, so what they
 * allow is compared class by class.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "machines/commands/machine_actions.h"
#include "machines/commands/report_options.h"

struct comparison {
    struct ft_shown_machine *machines;
    char *const *names; /* as they were given: "host" and "host.yaml" are two */
    size_t count;
    bool only_different;
    bool as_text;
};

/* ---- values ---- */

static bool is_of_units(const struct ft_value_row *row)
{
    return strncmp(row->path, "units[", 6) == 0;
}

static const struct ft_value_row *find_row(const struct ft_shown_machine *shown, const char *path)
{
    for (size_t i = 0; i < shown->rows.count; i++)
        if (strcmp(shown->rows.items[i].path, path) == 0)
            return &shown->rows.items[i];
    return NULL;
}

static bool same_value(const struct ft_value_row *a, const struct ft_value_row *b)
{
    if (!a || !b)
        return a == b;
    return a->number ? a->value == b->value : strcmp(a->text, b->text) == 0;
}

/* In cycles a machine's operations of a class at most, as its issue width and units have it. */
static double rate_of(const struct ft_machine *machine, size_t class)
{
    double rate = machine->issue_width;
    for (size_t i = 0; i < machine->unit_count; i++)
        if (machine->units[i].classes[class] && machine->units[i].rate < rate)
            rate = machine->units[i].rate;
    return rate;
}

/* ---- rows ---- */

static void begin_row(struct ft_table *table, const struct comparison *comparison, bool differs,
                      const char *part, const char *key, const char *path)
{
    if (comparison->as_text) {
        ft_table_text(table, differs ? "*" : "");
    } else {
        ft_table_text(table, path);
        ft_table_text(table, differs ? "true" : "false");
    }
    ft_table_text(table, part);
    ft_table_text(table, key);
}

/* How many times the first machine's the second one's value is. */
static void ratio_cell(struct ft_table *table, const struct comparison *comparison, double first,
                       double second)
{
    if (comparison->count != 2)
        return;
    if (first > 0 && isfinite(first) && isfinite(second) && first != second)
        ft_table_format(table, "%.3g", second / first);
    else
        ft_table_empty(table);
}

static void value_row(struct ft_table *table, const struct comparison *comparison,
                      const struct ft_value_row *row, const char **last_part)
{
    const struct ft_value_row *first = find_row(&comparison->machines[0], row->path),
                              *second = NULL;
    bool differs = false;
    for (size_t m = 1; m < comparison->count; m++) {
        second = find_row(&comparison->machines[m], row->path);
        differs |= !same_value(first, second);
    }
    if (comparison->only_different && !differs)
        return;
    const bool repeats = comparison->as_text && *last_part && strcmp(*last_part, row->part) == 0;
    begin_row(table, comparison, differs, repeats ? "" : row->part, row->key, row->path);
    *last_part = row->part;
    for (size_t m = 0; m < comparison->count; m++)
        ft_value_cell(table, find_row(&comparison->machines[m], row->path));
    ratio_cell(table, comparison, first && first->number ? first->value : 0,
               second && second->number ? second->value : 0);
}

/* Each path once, in the order of the first machine that has it. */
static void value_rows(struct ft_table *table, const struct comparison *comparison)
{
    const char *last_part = NULL;
    for (size_t m = 0; m < comparison->count; m++)
        for (size_t i = 0; i < comparison->machines[m].rows.count; i++) {
            const struct ft_value_row *row = &comparison->machines[m].rows.items[i];
            bool is_known = is_of_units(row);
            for (size_t k = 0; k < m && !is_known; k++)
                is_known = find_row(&comparison->machines[k], row->path) != NULL;
            if (!is_known)
                value_row(table, comparison, row, &last_part);
        }
}

static void rate_rows(struct ft_table *table, const struct comparison *comparison)
{
    bool is_first = true;
    for (size_t class = 0; class < FT_MIX_COUNT; class ++) {
        const double first = rate_of(&comparison->machines[0].machine, class);
        double rate = first;
        char path[64];
        bool differs = false;
        for (size_t m = 1; m < comparison->count; m++) {
            rate = rate_of(&comparison->machines[m].machine, class);
            differs |= rate != first;
        }
        if (comparison->only_different && !differs)
            continue;
        snprintf(path, sizeof path, "per_cycle.%s", ft_mix_class_names[class]);
        begin_row(table, comparison, differs, is_first || !comparison->as_text ? "per cycle" : "",
                  ft_mix_class_names[class], path);
        is_first = false;
        for (size_t m = 0; m < comparison->count; m++) {
            const double value = rate_of(&comparison->machines[m].machine, class);
            char text[FT_NUMBER_TEXT];
            snprintf(text, sizeof text, "%.3g", value);
            ft_table_labelled(table, text, value);
        }
        ratio_cell(table, comparison, first, rate);
    }
}

static struct ft_table *compare(const struct comparison *comparison)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    if (comparison->as_text) {
        ft_table_column(table, "", "differs", false);
    } else {
        ft_table_column(table, "path", "path", false);
        ft_table_column(table, "differs", "differs", false);
    }
    ft_table_column(table, "part", "part", false);
    ft_table_column(table, "value", "key", false);
    for (size_t m = 0; m < comparison->count; m++)
        ft_table_column(table, comparison->names[m], comparison->names[m], true);
    if (comparison->count == 2)
        ft_table_column(table, "ratio", "ratio", true);
    value_rows(table, comparison);
    rate_rows(table, comparison);
    return table;
}

/* ---- the action ---- */

static int print(const struct ft_arguments *arguments, const struct comparison *comparison,
                 struct ft_diag *diag)
{
    const enum ft_report_form form = ft_report_form_read(arguments);
    struct ft_table *table = compare(comparison);
    if (!table)
        return ft_fail_memory(diag, "a table");
    int status;
    if (form == FT_REPORT_JSON) {
        json_t *names = json_array();
        for (size_t m = 0; m < comparison->count; m++)
            ft_json_append(&names, ft_json_text(comparison->names[m]));
        status = ft_json_write(
            json_pack("{s:o, s:o}", "machines", names, "values", ft_table_json(table)), stdout,
            diag);
    } else {
        for (size_t m = 0; form == FT_REPORT_TEXT && m < comparison->count; m++)
            ft_print_wrapped(stdout, FT_VALUE_INDENT, "%s: %s\n", comparison->names[m],
                             comparison->machines[m].machine.description);
        if (form == FT_REPORT_TEXT)
            fputc('\n', stdout);
        status = ft_table_write(table, stdout, form == FT_REPORT_CSV, diag);
    }
    ft_table_destroy(table);
    return status;
}

int ft_machine_compare_action(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    const size_t wanted = ft_operand_count(arguments) - 1;
    struct comparison comparison = {
        .machines = calloc(wanted, sizeof *comparison.machines),
        .names = ft_operands(arguments) + 1,
        .only_different = ft_option_count(arguments, "differences") > 0,
        .as_text = ft_report_form_read(arguments) == FT_REPORT_TEXT,
    };
    int status = comparison.machines ? FT_OK : ft_fail_memory(diag, "machines");
    while (status == FT_OK && comparison.count < wanted) {
        status = ft_shown_machine_open(comparison.names[comparison.count],
                                       &comparison.machines[comparison.count], diag);
        comparison.count += status == FT_OK;
    }
    if (status == FT_OK)
        status = print(arguments, &comparison, diag);
    for (size_t m = 0; m < comparison.count; m++)
        ft_shown_machine_fini(&comparison.machines[m]);
    free(comparison.machines);
    return status;
}
