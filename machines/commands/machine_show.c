/*
 * machine list, show and check: machines one by one, value by value.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "machines/commands/machine_actions.h"
#include "machines/commands/report_options.h"
#include "machines/machine_folder.h"

/* ---- a machine ---- */

int ft_shown_machine_open(const char *name, struct ft_shown_machine *ret_shown,
                          struct ft_diag *diag)
{
    struct ft_shown_machine shown = {0};
    FT_TRY(ft_machine_file_open(name, &shown.file, diag));
    int status = ft_machine_file_build(&shown.file, &shown.machine, diag);
    if (status == FT_OK)
        status = ft_value_rows_list(shown.file.yaml, &shown.rows, diag);
    if (status == FT_OK)
        *ret_shown = shown;
    else
        ft_shown_machine_fini(&shown);
    return status;
}

void ft_shown_machine_fini(struct ft_shown_machine *shown)
{
    ft_value_rows_fini(&shown->rows);
    ft_machine_fini(&shown->machine);
    ft_machine_file_fini(&shown->file);
}

void ft_value_cell(struct ft_table *table, const struct ft_value_row *row)
{
    char text[FT_NUMBER_TEXT];
    if (!row) {
        ft_table_empty(table);
    } else if (!row->number || isinf(row->value)) {
        ft_table_text(table, row->text);
    } else if (row->number->quantity == FT_BYTES) {
        ft_table_bytes(table, row->value);
    } else {
        snprintf(text, sizeof text, "%.6g", row->value);
        ft_table_labelled(table, text, row->value);
    }
}

static size_t count_unsourced(const struct ft_value_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += ft_value_is_guess(&rows->items[i]) && rows->items[i].kind == FT_SOURCE_NONE;
    return count;
}

/* ---- list ---- */

/* "48K 1M 32M" */
static void write_capacities(const struct ft_machine *machine, char text[128])
{
    static const char prefixes[] = " KMGT";
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < machine->cache_count && used < 100; i++) {
        double bytes = (double)ft_level_capacity_bytes(&machine->levels[i]);
        size_t prefix = 0;
        for (; bytes >= 1024 && prefix + 2 < sizeof prefixes; prefix++)
            bytes /= 1024;
        used += (size_t)snprintf(text + used, 128 - used, prefix ? "%s%.4g%c" : "%s%.4g",
                                 i ? " " : "", bytes, prefixes[prefix]);
    }
}

static void list_row(struct ft_table *table, const char *name, const struct ft_shown_machine *shown)
{
    char caches[128], clock[FT_NUMBER_TEXT];
    size_t sourced;
    const size_t guesses = ft_value_count_guesses(&shown->rows, &sourced);
    write_capacities(&shown->machine, caches);
    snprintf(clock, sizeof clock, "%.2f", shown->machine.clock_ghz);
    ft_table_text(table, name);
    ft_table_text(table, shown->machine.description);
    ft_table_labelled(table, clock, shown->machine.clock_ghz);
    ft_table_text(table, caches);
    ft_table_share(table, sourced ? (double)guesses / (double)sourced : 0);
}

static struct ft_table *list_table(const struct ft_machine_names *names)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    ft_table_column(table, "machine", "machine", false);
    ft_table_column(table, "description", "description", false);
    ft_table_column(table, "GHz", "clock_ghz", true);
    ft_table_column(table, "caches", "caches", false);
    ft_table_column(table, "guesses", "guessed_share", true);
    for (size_t i = 0; i <= names->count; i++) {
        const char *name = i < names->count ? names->items[i] : "host";
        struct ft_shown_machine shown;
        struct ft_diag why;
        if (ft_shown_machine_open(name, &shown, &why) == FT_OK) {
            list_row(table, name, &shown);
            ft_shown_machine_fini(&shown);
        } else {
            ft_table_text(table, name);
            ft_table_text(table, why.message);
            for (int c = 0; c < 3; c++)
                ft_table_empty(table);
        }
    }
    return table;
}

/* As the options say: JSON of the table under a key, CSV, or text. */
static int print_table(const struct ft_arguments *arguments, const struct ft_table *table,
                       const char *key, struct ft_diag *diag)
{
    const enum ft_report_form form = ft_report_form_read(arguments);
    return form == FT_REPORT_JSON
               ? ft_json_write(json_pack("{s:o}", key, ft_table_json(table)), stdout, diag)
               : ft_table_write(table, stdout, form == FT_REPORT_CSV, diag);
}

int ft_machine_list_action(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_machine_names names;
    FT_TRY(ft_machine_names_list(&names, diag));
    struct ft_table *table = list_table(&names);
    int status =
        table ? print_table(arguments, table, "machines", diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    ft_machine_names_fini(&names);
    return status;
}

/* ---- show ---- */

static struct ft_table *value_table(const struct ft_value_rows *rows, bool only_guesses,
                                    bool as_text)
{
    struct ft_table *table = ft_table_create();
    const char *part = "";
    if (!table)
        return NULL;
    if (!as_text)
        ft_table_column(table, "path", "path", false);
    ft_table_column(table, "part", "part", false);
    ft_table_column(table, "value", "key", false);
    ft_table_column(table, "", "value", true);
    ft_table_column(table, "from", "kind", false);
    ft_table_column(table, "source", "source", false);
    for (size_t i = 0; i < rows->count; i++) {
        const struct ft_value_row *row = &rows->items[i];
        if (only_guesses && !ft_value_is_guess(row))
            continue;
        if (!as_text)
            ft_table_text(table, row->path);
        ft_table_text(table, as_text && strcmp(part, row->part) == 0 ? "" : row->part);
        part = row->part;
        ft_table_text(table, row->key);
        ft_value_cell(table, row);
        if (row->kind == FT_SOURCE_NONE && !(row->number && row->number->sourced))
            ft_table_empty(table);
        else
            ft_table_text(table, ft_source_kind_names[row->kind]);
        ft_table_text(table, row->source);
    }
    return table;
}

static void print_rates(const struct ft_machine *machine)
{
    char line[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < machine->unit_count && used < sizeof line; i++) {
        int wrote = snprintf(line + used, sizeof line - used, "%s%s %.3g", i ? ", " : "",
                             machine->units[i].name, machine->units[i].rate);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (used)
        ft_print_wrapped(stdout, FT_VALUE_INDENT, "%-16s%s\n", "units per cycle", line);
}

static void print_head(const struct ft_shown_machine *shown)
{
    size_t sourced;
    const size_t guesses = ft_value_count_guesses(&shown->rows, &sourced);
    ft_print_wrapped(stdout, FT_VALUE_INDENT, "%s: %s\n", shown->machine.name,
                     shown->machine.description);
    ft_print_wrapped(stdout, FT_VALUE_INDENT, "%-16s%zu of %zu values\n", "guesses", guesses,
                     sourced);
}

static int print_values(const struct ft_shown_machine *shown, bool only_guesses, bool csv,
                        struct ft_diag *diag)
{
    struct ft_table *table = value_table(&shown->rows, only_guesses, !csv);
    int status = table ? ft_table_write(table, stdout, csv, diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    return status;
}

static json_t *machine_json(const struct ft_shown_machine *shown, bool only_guesses)
{
    struct ft_table *table = value_table(&shown->rows, only_guesses, false);
    size_t sourced;
    const size_t guesses = ft_value_count_guesses(&shown->rows, &sourced);
    json_t *root =
        table ? json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "machine",
                          ft_json_text(shown->machine.name), "file", ft_json_text(shown->file.path),
                          "description", ft_json_text(shown->machine.description), "sourced_values",
                          (json_int_t)sourced, "guesses", (json_int_t)guesses, "unsourced",
                          (json_int_t)count_unsourced(&shown->rows), "values", ft_table_json(table))
              : NULL;
    ft_table_destroy(table);
    return root;
}

int ft_machine_show_action(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_shown_machine shown;
    const enum ft_report_form form = ft_report_form_read(arguments);
    FT_TRY(ft_shown_machine_open(ft_operands(arguments)[1], &shown, diag));
    int status;
    if (form == FT_REPORT_JSON) {
        status = ft_json_write(machine_json(&shown, false), stdout, diag);
    } else {
        if (form == FT_REPORT_TEXT) {
            print_head(&shown);
            print_rates(&shown.machine);
            fputc('\n', stdout);
        }
        status = print_values(&shown, false, form == FT_REPORT_CSV, diag);
    }
    ft_shown_machine_fini(&shown);
    return status;
}

/* ---- check ---- */

static int check_text(const struct ft_shown_machine *shown, struct ft_diag *diag)
{
    size_t sourced;
    const size_t guesses = ft_value_count_guesses(&shown->rows, &sourced);
    const size_t unsourced = count_unsourced(&shown->rows);
    printf("%s: valid; ", shown->machine.name);
    if (guesses == 0) {
        printf("all of its %zu values have a source, none is a guess\n", sourced);
        return FT_OK;
    }
    printf("%zu of %zu values are guesses", guesses, sourced);
    printf(unsourced ? ", %zu of them without a source:\n" : ":\n", unsourced);
    return print_values(shown, true, false, diag);
}

static int check_one(const struct ft_arguments *arguments, const char *name, json_t **array,
                     struct ft_diag *diag)
{
    struct ft_shown_machine shown;
    FT_TRY(ft_shown_machine_open(name, &shown, diag));
    const size_t unsourced = count_unsourced(&shown.rows);
    int status = FT_OK;
    if (array)
        ft_json_append(array, machine_json(&shown, true));
    else
        status = check_text(&shown, diag);
    if (status == FT_OK && unsourced && ft_option_count(arguments, "sourced"))
        status = ft_fail(diag, FT_ERROR_DATA,
                         "%s: %zu values name no source: add them to 'sources' of their sections, "
                         "or leave out --sourced",
                         shown.file.path, unsourced);
    ft_shown_machine_fini(&shown);
    return status;
}

int ft_machine_check_action(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    const bool as_json = ft_report_form_read(arguments) == FT_REPORT_JSON;
    json_t *array = as_json ? json_array() : NULL;
    int status = FT_OK;
    for (size_t i = 1; i < ft_operand_count(arguments) && status == FT_OK; i++)
        status = check_one(arguments, ft_operands(arguments)[i], as_json ? &array : NULL, diag);
    if (!as_json)
        return status;
    json_t *root = json_pack("{s:o}", "machines", array);
    if (status == FT_OK)
        return ft_json_write(root, stdout, diag);
    json_decref(root);
    return status;
}
