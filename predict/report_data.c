/* For programs: one CSV row a scope, the program first; and one JSON object. */
#include "formats/scope_report.h"
#include "machines/level_report.h"
#include "predict/report.h"
#include "predict/time.h"

static double seconds_of(const struct ft_prediction *prediction, size_t scope)
{
    return ft_machine_seconds(prediction->machine, ft_prediction_cycles(prediction, scope));
}

static void add_csv_row(struct ft_table *table, const struct ft_report *report, uint32_t scope)
{
    const struct ft_prediction *prediction = report->prediction;
    const double *row = prediction->nested + scope * prediction->width;
    ft_scope_cells(table, true, &prediction->model->scopes, scope);
    for (size_t column = 0; column < FT_FIGURE_COUNT; column++)
        ft_table_count(table, row[column]);
    ft_table_seconds(table, seconds_of(prediction, scope));
    ft_level_cells(table, true, prediction->machine, row + FT_FIGURE_COUNT);
    if (report->check) {
        const double *simulated = report->check->nested + scope * report->check->width;
        ft_table_count(table, simulated[0]);
        ft_level_cells(table, true, prediction->machine, simulated + 1);
    }
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        ft_table_text(table, prediction->resolutions[i].resolved ? "1" : "0");
}

int ft_report_csv(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    static const char *const figures[FT_FIGURE_COUNT] = {"accesses", "instructions", "flops",
                                                         "schedule_cycles", "memory_cycles"};
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, true);
    for (size_t column = 0; column < FT_FIGURE_COUNT; column++)
        ft_table_column(table, figures[column], figures[column], true);
    ft_table_column(table, "seconds", "seconds", true);
    ft_level_columns(table, true, report->prediction->machine, "predicted");
    if (report->check) {
        ft_table_column(table, "simulated_accesses", "simulated_accesses", true);
        ft_level_columns(table, true, report->prediction->machine, "simulated");
    }
    for (size_t i = 0; i < report->prediction->machine->level_count; i++)
        ft_level_column(table, &report->prediction->machine->levels[i], "resolved");
    add_csv_row(table, report, 0);
    for (size_t i = 0; i < report->count; i++)
        add_csv_row(table, report, report->list[i]);
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

/* (predicted - simulated) / simulated; null where nothing was simulated. */
static json_t *error_json(double predicted, double simulated)
{
    return simulated > 0 ? ft_json_number((predicted - simulated) / simulated) : json_null();
}

static json_t *resolution_json(const struct ft_resolution *resolution)
{
    return json_pack("{s:o, s:b}", "training_blocks", ft_json_number(resolution->training_blocks),
                     "resolved", resolution->resolved);
}

static json_t *level_json(const struct ft_report *report, uint32_t scope, size_t level)
{
    const struct ft_prediction *prediction = report->prediction;
    const double *predicted =
        prediction->nested + scope * prediction->width + FT_FIGURE_COUNT + 2 * level;
    json_t *entry = ft_json_merge(
        ft_level_json(&prediction->machine->levels[level]),
        json_pack("{s:o, s:o}", "predicted_fully_associative", ft_json_number(predicted[0]),
                  "predicted_set_associative", ft_json_number(predicted[1])));
    if (scope == 0)
        entry = ft_json_merge(entry, resolution_json(&prediction->resolutions[level]));
    if (!report->check)
        return entry;
    const double *simulated = report->check->nested + scope * report->check->width + 1 + 2 * level;
    return ft_json_merge(entry,
                         json_pack("{s:I, s:I, s:o, s:o}", "simulated_fully_associative",
                                   (json_int_t)simulated[0], "simulated_set_associative",
                                   (json_int_t)simulated[1], "fully_associative_error",
                                   error_json(predicted[0], simulated[0]), "set_associative_error",
                                   error_json(predicted[1], simulated[1])));
}

static json_t *figures_json(const struct ft_report *report, uint32_t scope)
{
    const struct ft_prediction *prediction = report->prediction;
    const double *row = prediction->nested + scope * prediction->width;
    json_t *levels = json_array();
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        ft_json_append(&levels, level_json(report, scope, i));
    json_t *figures = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "accesses",
                                ft_json_number(row[FT_FIGURE_ACCESSES]), "instructions",
                                ft_json_number(row[FT_FIGURE_INSTRUCTIONS]), "flops",
                                ft_json_number(row[FT_FIGURE_FLOPS]), "schedule_cycles",
                                ft_json_number(row[FT_FIGURE_SCHEDULE_CYCLES]), "memory_cycles",
                                ft_json_number(row[FT_FIGURE_MEMORY_CYCLES]), "seconds",
                                ft_json_number(seconds_of(prediction, scope)), "levels", levels);
    if (!report->check)
        return figures;
    return ft_json_merge(
        figures, json_pack("{s:I}", "simulated_accesses",
                           (json_int_t)report->check->nested[scope * report->check->width]));
}

static json_t *fitted_json(const struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "parameter", ft_json_text(model->parameter),
                     "sizes", (json_int_t)model->training_count, "smallest",
                     ft_json_number(model->training[0]), "largest",
                     ft_json_number(model->training[model->training_count - 1]), "extrapolation",
                     ft_json_number(prediction->extrapolation), "matched_share",
                     ft_json_number(model->matched_share));
}

int ft_report_json(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_model *model = prediction->model;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++)
        ft_json_append(&loops, ft_json_merge(ft_scope_json(&model->scopes, report->list[i]),
                                             figures_json(report, report->list[i])));
    json_t *parameters = json_object();
    if (parameters &&
        json_object_set_new(parameters, model->parameter, ft_json_number(prediction->n)) != 0) {
        json_decref(parameters);
        parameters = NULL;
    }
    json_t *value = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "program", ft_json_text(model->program), "machine",
        ft_json_text(prediction->machine->name), "parameters", parameters, "fitted",
        fitted_json(prediction), "total", figures_json(report, 0), "loops", loops);
    if (report->check)
        value = ft_json_merge(value, json_pack("{s:{s:s, s:o}}", "check", "trace",
                                               report->check->trace_hash, "matched_share",
                                               ft_json_number(report->check->matched_share)));
    return ft_json_write(value, stream, diag);
}
