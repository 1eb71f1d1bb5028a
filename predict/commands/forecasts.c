#include "predict/commands/forecasts.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/cli/progress_line.h"
#include "formats/cli/style.h"
#include "formats/commands/scope_report.h"
#include "predict/commands/forecast_progress.h"
#include "predict/time_bounds.h"

#define MATCHED_WELL 0.95

void ft_warn_of_stranger(const char *trace, double matched_share)
{
    char text[FT_NUMBER_TEXT];
    if (matched_share < MATCHED_WELL)
        fprintf(stderr,
                "foretrace predict: %s %s: only %s of its accesses are in routines and loops "
                "that the model has; is it a trace of the same program ('foretrace info')?\n",
                ft_style_warning(stderr), trace, ft_text_share(text, matched_share));
}

static int simulate_checked(const struct ft_checked_trace *checked,
                            const struct ft_prediction *prediction, struct ft_check *ret_check,
                            struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_check_trace(checked->trace, prediction, &progress.base, ret_check, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        ft_warn_of_stranger(checked->path, ret_check->matched_share);
    return status;
}

/* ---- points and machines ---- */

void ft_forecasts_fini(struct ft_forecasts *forecasts)
{
    for (size_t i = 0; i < forecasts->report_count; i++) {
        ft_check_fini(&forecasts->results[i].check);
        ft_prediction_fini(&forecasts->results[i].prediction);
        free(forecasts->results[i].list);
        ft_startup_fold_fini(&forecasts->results[i].startup);
    }
    ft_command_points_fini(&forecasts->points);
    free(forecasts->results);
    free(forecasts->reports);
    ft_trace_close(forecasts->checked.trace);
    ft_bandwidth_models_fini(&forecasts->bandwidths);
    ft_report_options_fini(&forecasts->options);
}

int ft_forecasts_check_dirty(const struct ft_forecasts *forecasts, struct ft_diag *diag)
{
    for (size_t i = 0; i < forecasts->options.machine_count; i++) {
        const struct ft_machine *machine = &forecasts->options.machines[i];
        if (forecasts->dirty_memory && machine->dirty_memory_latency_cycles == 0)
            return ft_fail(diag, FT_ERROR_USAGE, "--dirty: %s has no dirty_latency_cycles",
                           machine->name);
    }
    return FT_OK;
}

int ft_forecasts_resolve(struct ft_forecasts *forecasts, struct ft_diag *diag)
{
    return ft_command_points_read(forecasts->arguments, &forecasts->checked, &forecasts->points,
                                  diag);
}

/* Of the first result on the machine, which outlives all others. */
static struct ft_path_schedules *schedules_of(const struct ft_forecasts *forecasts, size_t machine)
{
    return forecasts->report_count > machine ? forecasts->results[machine].prediction.schedules
                                             : NULL;
}

int ft_forecast_point(const struct ft_forecasts *forecasts, const struct ft_command_point *point,
                      const struct ft_machine *machine, struct ft_progress *progress,
                      struct ft_prediction *prediction, struct ft_diag *diag)
{
    const size_t number = (size_t)(machine - forecasts->options.machines);
    const struct ft_predict_options options = {
        .dirty_memory = forecasts->dirty_memory,
        .misses = forecasts->misses,
        .progress = progress,
        .bandwidth = ft_bandwidth_models_function(&forecasts->bandwidths, number),
        .with_penalties = forecasts->time_model == FT_TIME_MODEL_MARIN_2004,
        .schedules = schedules_of(forecasts, number)};
    return ft_predict(point->model, machine, &point->size, &options, prediction, diag);
}

/* What scopes are sorted by. */
static double weight_of(const struct ft_shown_metric *sort, const struct ft_prediction *prediction,
                        size_t scope)
{
    const size_t column = ft_shown_metric_column(sort, prediction);
    if (column != SIZE_MAX)
        return prediction->inclusive[scope * prediction->width + column];
    return prediction->estimates ? prediction->estimates[scope].seconds
                                 : ft_serial_cycles(prediction, scope);
}

/* Simulates with --check, and selects the scopes that have most of `sort`. */
static int make_report(struct ft_forecasts *forecasts, struct ft_forecast_result *result,
                       struct ft_report *report, struct ft_diag *diag)
{
    struct ft_prediction *prediction = &result->prediction;
    const struct ft_scopes *scopes = &prediction->model->scopes;
    if (forecasts->checked.trace)
        FT_TRY(simulate_checked(&forecasts->checked, prediction, &result->check, diag));
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < scopes->scope_count; i++)
        weights[i] = weight_of(&forecasts->sort, prediction, i);
    *report = (struct ft_report){.prediction = prediction,
                                 .check = forecasts->checked.trace ? &result->check : NULL};
    int status =
        ft_startup_fold_select(&result->startup, forecasts->options.folds_startup, scopes, weights,
                               forecasts->options.loop_limit, &result->list, &report->count, diag);
    free(weights);
    report->startup = &result->startup;
    report->list = result->list;
    return status;
}

/* The index-th forecast of all. */
static int make_forecast(struct ft_forecasts *forecasts, size_t index,
                         struct ft_forecast_progress *progress, struct ft_diag *diag)
{
    const size_t machines = forecasts->options.machine_count;
    const struct ft_command_point *point = &forecasts->points.items[index / machines];
    const struct ft_machine *machine = &forecasts->options.machines[index % machines];
    struct ft_forecast_result *result = &forecasts->results[index];
    char text[FT_REPORT_POINT_TEXT];
    ft_forecast_progress_next(progress, index,
                              ft_report_model_point_text(text, point->model, point->size.value),
                              machine->name);
    return ft_forecast_point(forecasts, point, machine, &progress->base, &result->prediction, diag);
}

int ft_forecasts_make(struct ft_forecasts *forecasts, struct ft_diag *diag)
{
    const size_t count = forecasts->points.count * forecasts->options.machine_count;
    struct ft_forecast_progress progress;
    struct ft_progress_line line;
    forecasts->results = calloc(count + 1, sizeof *forecasts->results);
    forecasts->reports = calloc(count + 1, sizeof *forecasts->reports);
    if (!forecasts->results || !forecasts->reports)
        return ft_fail_memory(diag, "reports");
    int status = FT_OK;
    ft_progress_line_init(&line, "synthesise");
    ft_forecast_progress_init(&progress, &line, count);
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        forecasts->report_count = i + 1;
        status = make_forecast(forecasts, i, &progress, diag);
    }
    ft_progress_line_fini(&line);
    for (size_t i = 0; i < count && status == FT_OK; i++)
        status = make_report(forecasts, &forecasts->results[i], &forecasts->reports[i], diag);
    return status;
}
