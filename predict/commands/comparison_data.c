/*
 * A row of CSV, and an object of JSON, for each forecast, of the program alone; columns of levels
 * and components are those of all machines. Values are totals, whatever --per says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machines/commands/level_report.h"
#include "predict/commands/compared_cells.h"
#include "predict/commands/comparison.h"
#include "predict/commands/interval_data.h"
#include "predict/commands/penalty_cells.h"
#include "predict/time/time_components.h"
#include "predict/time_bounds.h"

static const struct ft_shown_metric time_metric = {FT_SHOW_TIME, NULL};
static const struct {
    const char *name;
    struct ft_shown_metric metric;
} counts[] = {{"accesses", {FT_SHOW_ACCESSES, NULL}},
              {"instructions", {FT_SHOW_INSTRUCTIONS, NULL}}};

static bool collect(const struct ft_comparison *comparison, struct ft_compared_names *levels,
                    struct ft_compared_names *components)
{
    bool fits = true;
    for (size_t m = 0; m < comparison->machine_count; m++) {
        const struct ft_machine *machine = ft_compared_prediction(comparison, 0, m)->machine;
        for (size_t i = 0; i < machine->level_count; i++)
            fits = fits && ft_compared_names_add(levels, machine->levels[i].name);
        for (size_t i = 0; i < ft_time_component_count(machine); i++)
            fits = fits && ft_compared_names_add(components, ft_time_component_name(machine, i));
    }
    return fits;
}

/* The model's parameters: the one that it runs over, then those that have been given values. */
static const char *parameter_name(const struct ft_model *model, size_t parameter)
{
    return parameter == 0 ? model->parameter : model->fixed[parameter - 1].name;
}

static double parameter_value(const struct ft_prediction *prediction, size_t parameter)
{
    return parameter == 0 ? prediction->n : prediction->model->fixed[parameter - 1].value;
}

/* ---- CSV ---- */

static void add_columns(struct ft_table *table, const struct ft_comparison *comparison,
                        const struct ft_compared_names *levels,
                        const struct ft_compared_names *components)
{
    static const char *const first[] = {"machine", "at"};
    static const char *const after[] = {"seconds_at_least", "seconds_at_most",  "rank",
                                        "inversion_chance", "instead_of",       "gain",
                                        "no_gain_chance",   "added_cache_bytes"};
    const struct ft_prediction *prediction = ft_compared_prediction(comparison, 0, 0);
    const struct ft_model *model = prediction->model;
    for (size_t i = 0; i < 2; i++)
        ft_table_column(table, first[i], first[i], false);
    for (size_t i = 0; i <= model->fixed_count; i++)
        ft_table_column(table, parameter_name(model, i), parameter_name(model, i), true);
    if (comparison->per)
        ft_table_column(table, "work", "work", true);
    ft_compared_columns(table, NULL, "seconds");
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        ft_table_column(table, after[i], after[i], true);
    if (prediction->penalties)
        ft_penalty_columns(table);
    for (size_t i = 0; i < components->count; i++)
        ft_key_column(table, components->items[i], "seconds");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ft_compared_columns(table, NULL, counts[i].name);
    for (size_t i = 0; i < levels->count; i++)
        ft_compared_columns(table, levels->items[i], "misses");
}

static void add_components(struct ft_table *table, const struct ft_prediction *prediction,
                           const double *seconds, const struct ft_compared_names *components)
{
    const struct ft_machine *machine = prediction->machine;
    for (size_t i = 0; i < components->count; i++) {
        size_t k = 0;
        while (k < ft_time_component_count(machine) &&
               strcmp(ft_time_component_name(machine, k), components->items[i]) != 0)
            k++;
        ft_table_end(table, seconds && k < ft_time_component_count(machine) ? seconds[k] : NAN);
    }
}

static void add_standing(struct ft_table *table, const struct ft_comparison *comparison,
                         size_t machine, const struct ft_standing *standing)
{
    const size_t base = comparison->bases[machine];
    ft_table_count(table, (double)standing->rank);
    ft_table_end(table, standing->inversion);
    ft_table_text(
        table, base == machine ? "" : ft_compared_prediction(comparison, 0, base)->machine->name);
    ft_table_end(table, standing->gain);
    ft_table_end(table, standing->no_gain);
    ft_table_end(table, standing->added_bytes);
}

static void add_row(struct ft_table *table, const struct ft_comparison *comparison, size_t point,
                    size_t machine, const struct ft_standing *standing,
                    const struct ft_compared_names *levels,
                    const struct ft_compared_names *components)
{
    const struct ft_prediction *prediction = ft_compared_prediction(comparison, point, machine);
    const struct ft_compared_value time = ft_compared_value_of(prediction, 0, &time_metric);
    const struct ft_compared_value estimate =
        prediction->estimates ? time : (struct ft_compared_value){NAN, NAN, NAN};
    const struct ft_time_bounds bounds = ft_time_bounds_of(prediction, 0);
    double *seconds = ft_compared_components(prediction);
    char text[FT_REPORT_POINT_TEXT];
    ft_table_text(table, prediction->machine->name);
    ft_table_text(table, ft_report_point_text(text, prediction));
    for (size_t i = 0; i <= prediction->model->fixed_count; i++)
        ft_table_count(table, parameter_value(prediction, i));
    if (comparison->per)
        ft_table_count(table, comparison->work[point]);
    ft_compared_cells(table, &estimate);
    ft_table_end(table, bounds.least_seconds);
    ft_table_end(table, bounds.most_seconds);
    add_standing(table, comparison, machine, standing);
    if (prediction->penalties)
        ft_penalty_cells(table, &prediction->penalties[0]);
    add_components(table, prediction, seconds, components);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct ft_compared_value count =
            ft_compared_value_of(prediction, 0, &counts[i].metric);
        ft_compared_cells(table, &count);
    }
    for (size_t i = 0; i < levels->count; i++) {
        const struct ft_shown_metric metric = {FT_SHOW_MISSES, levels->items[i]};
        const struct ft_compared_value misses = ft_compared_value_of(prediction, 0, &metric);
        ft_compared_cells(table, &misses);
    }
    free(seconds);
}

static int add_rows(struct ft_table *table, const struct ft_comparison *comparison,
                    const struct ft_compared_names *levels,
                    const struct ft_compared_names *components, struct ft_diag *diag)
{
    struct ft_standing *standings = calloc(comparison->machine_count + 1, sizeof *standings);
    int status = standings ? FT_OK : ft_fail_memory(diag, "a ranking");
    for (size_t point = 0; status == FT_OK && point < comparison->point_count; point++) {
        status = ft_standings_find(comparison, point, standings, diag);
        for (size_t m = 0; status == FT_OK && m < comparison->machine_count; m++)
            add_row(table, comparison, point, m, &standings[m], levels, components);
    }
    free(standings);
    return status;
}

int ft_comparison_csv(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag)
{
    struct ft_compared_names levels = {0}, components = {0};
    struct ft_table *table = ft_table_create();
    int status = FT_OK;
    if (!table || !collect(comparison, &levels, &components))
        status = ft_fail_memory(diag, "a table");
    if (status == FT_OK) {
        add_columns(table, comparison, &levels, &components);
        status = add_rows(table, comparison, &levels, &components, diag);
    }
    if (status == FT_OK)
        status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    free((void *)levels.items);
    free((void *)components.items);
    return status;
}

/* ---- JSON ---- */

static json_t *components_json(const struct ft_prediction *prediction)
{
    double *seconds = ft_compared_components(prediction);
    json_t *components = seconds ? json_array() : json_null();
    for (size_t i = 0; seconds && i < ft_time_component_count(prediction->machine); i++)
        ft_json_append(&components,
                       json_pack("{s:o, s:o}", "name",
                                 ft_json_text(ft_time_component_name(prediction->machine, i)),
                                 "seconds", ft_json_number(seconds[i])));
    free(seconds);
    return components;
}

static json_t *levels_json(const struct ft_prediction *prediction)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        const struct ft_shown_metric metric = {FT_SHOW_MISSES, level->name};
        const struct ft_compared_value misses = ft_compared_value_of(prediction, 0, &metric);
        ft_json_append(&levels,
                       ft_json_merge(ft_level_json(level), ft_compared_json("misses", &misses)));
    }
    return levels;
}

json_t *ft_compared_point_json(const struct ft_prediction *prediction)
{
    json_t *parameters = json_object();
    for (size_t i = 0; i <= prediction->model->fixed_count; i++)
        parameters =
            ft_json_merge(parameters, json_pack("{s:o}", parameter_name(prediction->model, i),
                                                ft_json_number(parameter_value(prediction, i))));
    return parameters;
}

static json_t *standing_json(const struct ft_comparison *comparison, size_t machine,
                             const struct ft_standing *standing)
{
    const size_t base = comparison->bases[machine];
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o}", "rank", (json_int_t)standing->rank, "inversion_chance",
        ft_json_number(standing->inversion), "instead_of",
        base == machine ? json_null()
                        : ft_json_text(ft_compared_prediction(comparison, 0, base)->machine->name),
        "gain", ft_json_number(standing->gain), "no_gain_chance", ft_json_number(standing->no_gain),
        "added_cache_bytes", ft_json_number(standing->added_bytes));
}

static json_t *forecast_json(const struct ft_comparison *comparison, size_t point, size_t machine,
                             const struct ft_standing *standing)
{
    const struct ft_prediction *prediction = ft_compared_prediction(comparison, point, machine);
    const struct ft_compared_value time = ft_compared_value_of(prediction, 0, &time_metric);
    const struct ft_compared_value estimate =
        prediction->estimates ? time : (struct ft_compared_value){NAN, NAN, NAN};
    const struct ft_time_bounds bounds = ft_time_bounds_of(prediction, 0);
    json_t *entry = json_pack("{s:o, s:o}", "machine", ft_json_text(prediction->machine->name),
                              "parameters", ft_compared_point_json(prediction));
    if (comparison->per)
        entry = ft_json_merge(entry,
                              json_pack("{s:o}", "work", ft_json_number(comparison->work[point])));
    entry = ft_json_merge(entry, ft_compared_json("seconds", &estimate));
    entry = ft_json_merge(entry, json_pack("{s:o, s:o, s:o}", "seconds_at_least",
                                           ft_json_number(bounds.least_seconds), "seconds_at_most",
                                           ft_json_number(bounds.most_seconds), "components",
                                           components_json(prediction)));
    entry = ft_json_merge(entry, standing_json(comparison, machine, standing));
    if (prediction->penalties)
        entry = ft_json_merge(entry, ft_penalty_json(prediction, 0));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct ft_compared_value count =
            ft_compared_value_of(prediction, 0, &counts[i].metric);
        entry = ft_json_merge(entry, ft_compared_json(counts[i].name, &count));
    }
    return ft_json_merge(entry, json_pack("{s:o}", "levels", levels_json(prediction)));
}

int ft_comparison_json(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag)
{
    struct ft_standing *standings = calloc(comparison->machine_count + 1, sizeof *standings);
    json_t *forecasts = json_array();
    int status = standings ? FT_OK : ft_fail_memory(diag, "a ranking");
    for (size_t point = 0; status == FT_OK && point < comparison->point_count; point++) {
        status = ft_standings_find(comparison, point, standings, diag);
        for (size_t m = 0; status == FT_OK && m < comparison->machine_count; m++)
            ft_json_append(&forecasts, forecast_json(comparison, point, m, &standings[m]));
    }
    free(standings);
    if (status != FT_OK) {
        json_decref(forecasts);
        return status;
    }
    const struct ft_model *model = ft_compared_prediction(comparison, 0, 0)->model;
    return ft_json_write(json_pack("{s:o, s:o, s:o}", "program", ft_json_text(model->program),
                                   "per", ft_json_text(comparison->per), "forecasts", forecasts),
                         stream, diag);
}
