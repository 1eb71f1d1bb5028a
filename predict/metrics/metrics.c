/*
 * Groups contribute accesses and misses to the rows of their scopes: each group's histogram is
 * evaluated once per block size, and every level with blocks of that size counts its misses in it.
 * Counts contribute instructions, the schedule and latencies. The memory penalty follows from a
 * row's misses. Then nested rows are summed up.
 */
#include "predict/metrics/metrics.h"

#include <stdlib.h>

#include "predict/metrics/cycles.h"
#include "predict/metrics/misses.h"
#include "predict/metrics/set_chances.h"

const char *ft_misses_by_name(enum ft_misses_by by)
{
    static const char *const names[] = {[FT_BY_HISTOGRAMS] = "histograms",
                                        [FT_BY_SYNTHESIS] = "synthesis",
                                        [FT_BY_FOOTPRINT] = "footprint"};
    return names[by];
}

/* What stays the same from group to group. */
struct work {
    const struct ft_metrics *metrics;
    struct ft_set_chances *chances; /* [level] */
    struct ft_forecast forecast;
};

static int add_misses(const struct work *work, size_t group, size_t level, double *row,
                      struct ft_diag *diag)
{
    const struct ft_metrics *metrics = work->metrics;
    const uint32_t scope = metrics->model->groups[group].scope;
    const double factor = metrics->miss_scales ? metrics->miss_scales[scope] : 1;
    const struct ft_level *from = &metrics->machine->levels[level];
    const struct ft_set_chances *chances = &work->chances[level];
    struct ft_miss_count misses = ft_count_misses(&work->forecast, chances);
    if (metrics->set_spread != FT_SET_SPREAD_EXPECTED)
        FT_TRY(ft_set_conflict_misses(metrics->model, group, from, &metrics->at, &work->forecast,
                                      chances, metrics->set_spread, &misses.set_associative, diag));
    row[ft_fully_assoc_column(level)] += factor * misses.fully_associative;
    row[ft_set_assoc_column(level)] += factor * misses.set_associative;
    return FT_OK;
}

static int add_group(struct work *work, size_t group, double *row, struct ft_diag *diag)
{
    const struct ft_metrics *metrics = work->metrics;
    const struct ft_model *model = metrics->model;
    row[FT_METRIC_ACCESSES] += ft_function_at(&model->groups[group].accesses, &metrics->at);
    for (size_t size = 0; size < model->size_count; size++) {
        bool evaluated = false;
        for (size_t i = 0; i < metrics->machine->level_count; i++) {
            if (metrics->machine->levels[i].block_bytes != model->block_bytes[size])
                continue;
            if (!evaluated)
                FT_TRY(
                    ft_forecast_evaluate(model, group, size, &metrics->at, &work->forecast, diag));
            evaluated = true;
            FT_TRY(add_misses(work, group, i, row, diag));
        }
    }
    return FT_OK;
}

static void add_counts(const struct ft_metrics *metrics, const struct ft_model_scope_counts *counts,
                       double *row)
{
    struct ft_scope_forecast forecast;
    ft_scope_forecast_evaluate(counts, &metrics->at, &forecast);
    row[FT_METRIC_INSTRUCTIONS] += forecast.instructions;
    row[FT_METRIC_FLOPS] += forecast.flops;
    row[FT_METRIC_SCHEDULE_CYCLES] +=
        ft_schedule_cycles(metrics->machine, forecast.instructions, forecast.mix, NULL);
    row[FT_METRIC_SERIAL_CYCLES] +=
        ft_latency_cycles(metrics->machine, forecast.instructions, forecast.mix);
}

static int add_memory(const struct ft_metrics *metrics, double *rows, struct ft_diag *diag)
{
    const struct ft_machine *machine = metrics->machine;
    double *misses = calloc(machine->level_count + 1, sizeof *misses);
    if (!misses)
        return ft_fail_memory(diag, "a prediction");
    for (size_t scope = 0; scope < metrics->model->scopes.scope_count; scope++) {
        double *row = rows + scope * ft_metrics_width(machine);
        for (size_t i = 0; i < machine->level_count; i++)
            misses[i] = row[ft_set_assoc_column(i)];
        row[FT_METRIC_MEMORY_CYCLES] = ft_memory_cycles(machine, misses, metrics->dirty_memory);
        row[FT_METRIC_SERIAL_CYCLES] += ft_access_latency_cycles(machine, row[FT_METRIC_ACCESSES],
                                                                 misses, metrics->dirty_memory);
    }
    free(misses);
    return FT_OK;
}

int ft_metrics_exclusive(const struct ft_metrics *metrics, double *rows, struct ft_diag *diag)
{
    const struct ft_model *model = metrics->model;
    const size_t width = ft_metrics_width(metrics->machine);
    struct work work = {.metrics = metrics};
    int status = ft_level_chances(model, metrics->machine, metrics->capacity_scales, &metrics->at,
                                  &work.chances, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count; i++)
        status = add_group(&work, i, rows + model->groups[i].scope * width, diag);
    ft_forecast_fini(&work.forecast);
    ft_level_chances_free(work.chances, metrics->machine->level_count);
    for (size_t i = 0; i < model->counts_count; i++)
        add_counts(metrics, &model->counts[i], rows + model->counts[i].scope * width);
    return status == FT_OK ? add_memory(metrics, rows, diag) : status;
}

void ft_metrics_make_inclusive(const struct ft_metrics *metrics, double *rows)
{
    ft_scopes_add_nested(&metrics->model->scopes, rows, ft_metrics_width(metrics->machine));
}
