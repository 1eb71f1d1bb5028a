/*
 * Groups give accesses and misses to the rows of their scopes: each group's histogram is evaluated
 * once for each block size, and every level with blocks of that size counts its misses in it.
 * Counts give instructions and the schedule. The memory penalty follows from a row's misses. Then
 * nested rows are summed up.
 */
#include "predict/prediction.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/scope_report.h"
#include "predict/machine_blocks.h"
#include "predict/misses.h"
#include "predict/schedule.h"
#include "predict/time.h"

static int add_group(struct ft_prediction *prediction, size_t group, struct ft_forecast *forecast,
                     struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    const struct ft_machine *machine = prediction->machine;
    double *row = prediction->own + model->groups[group].scope * prediction->width;
    row[FT_FIGURE_ACCESSES] += ft_function_at(&model->groups[group].accesses, &prediction->at);
    for (size_t size = 0; size < model->size_count; size++) {
        bool evaluated = false;
        for (size_t i = 0; i < machine->level_count; i++) {
            const struct ft_level *level = &machine->levels[i];
            if (level->block_bytes != model->block_bytes[size])
                continue;
            int status = evaluated ? FT_OK
                                   : ft_forecast_evaluate(model, group, size, &prediction->at,
                                                          forecast, diag);
            if (status != FT_OK)
                return status;
            evaluated = true;
            struct ft_miss_count misses = ft_count_misses(forecast, level->blocks, level->ways);
            row[ft_full_column(i)] += misses.fully_associative;
            row[ft_set_column(i)] += misses.set_associative;
            ft_resolution_add_group(&prediction->resolutions[i], model, group, size, level,
                                    &prediction->at);
        }
    }
    return FT_OK;
}

static void add_counts(struct ft_prediction *prediction, const struct ft_model_scope_counts *counts)
{
    struct ft_scope_forecast forecast;
    ft_scope_forecast_evaluate(counts, &prediction->at, &forecast);
    double *row = prediction->own + counts->scope * prediction->width;
    row[FT_FIGURE_INSTRUCTIONS] += forecast.instructions;
    row[FT_FIGURE_FLOPS] += forecast.flops;
    row[FT_FIGURE_SCHEDULE_CYCLES] +=
        ft_schedule_cycles(prediction->machine, forecast.instructions, forecast.mix, NULL);
}

static int add_memory(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_machine *machine = prediction->machine;
    double *misses = calloc(machine->level_count, sizeof *misses);
    if (!misses)
        return ft_fail_memory(diag, "a prediction");
    for (size_t scope = 0; scope < prediction->model->scopes.scope_count; scope++) {
        double *row = prediction->own + scope * prediction->width;
        for (size_t i = 0; i < machine->level_count; i++)
            misses[i] = row[ft_set_column(i)];
        row[FT_FIGURE_MEMORY_CYCLES] = ft_memory_cycles(machine, misses, prediction->dirty_memory);
    }
    free(misses);
    return FT_OK;
}

/* Says of each level whether the training runs could teach its misses. */
static void judge_levels(struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        size_t size = 0;
        while (model->block_bytes[size] != level->block_bytes)
            size++;
        ft_resolution_judge(&prediction->resolutions[i], model, size, level, &prediction->at,
                            prediction->nested[ft_full_column(i)]);
    }
}

static int fill(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    size_t numbers = model->scopes.scope_count * prediction->width;
    prediction->own = calloc(numbers + 1, sizeof *prediction->own);
    prediction->nested = calloc(numbers + 1, sizeof *prediction->nested);
    prediction->resolutions =
        calloc(prediction->machine->level_count + 1, sizeof *prediction->resolutions);
    if (!prediction->own || !prediction->nested || !prediction->resolutions)
        return ft_fail_memory(diag, "a prediction");
    struct ft_forecast forecast = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < model->group_count; i++)
        status = add_group(prediction, i, &forecast, diag);
    ft_forecast_fini(&forecast);
    for (size_t i = 0; i < model->counts_count; i++)
        add_counts(prediction, &model->counts[i]);
    if (status == FT_OK)
        status = add_memory(prediction, diag);
    if (status == FT_OK) {
        memcpy(prediction->nested, prediction->own, numbers * sizeof *prediction->own);
        ft_scopes_add_nested(&model->scopes, prediction->nested, prediction->width);
        judge_levels(prediction);
    }
    return status;
}

int ft_predict(const struct ft_model *model, const struct ft_machine *machine, double n,
               bool dirty_memory, struct ft_prediction *ret_prediction, struct ft_diag *diag)
{
    gsl_set_error_handler_off(); /* the default one aborts the program */
    int status = ft_predict_check_sizes(model, machine, diag);
    if (status != FT_OK)
        return status;
    struct ft_prediction prediction = {
        .model = model,
        .machine = machine,
        .n = n,
        .at = ft_point_at(&model->basis, &n),
        .extrapolation = ft_model_extrapolation(model, n),
        .dirty_memory = dirty_memory,
        .width = FT_FIGURE_COUNT + 2 * machine->level_count,
    };
    status = fill(&prediction, diag);
    if (status != FT_OK) {
        ft_prediction_fini(&prediction);
        return status;
    }
    *ret_prediction = prediction;
    return FT_OK;
}

void ft_prediction_fini(struct ft_prediction *prediction)
{
    free(prediction->own);
    free(prediction->nested);
    free(prediction->resolutions);
    *prediction = (struct ft_prediction){0};
}
