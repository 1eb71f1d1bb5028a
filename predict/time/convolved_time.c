#include "predict/time/convolved_time.h"

#include <math.h>

#include "predict/metrics/cycles.h"

#define COLUMNS (sizeof(struct ft_convolved_time) / sizeof(double))

enum end { LOW, VALUE, HIGH };

static double memory_seconds(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                             const struct ft_bandwidth_function *function, size_t scope,
                             enum end end)
{
    const size_t row = scope * ft_metrics_width(metrics->machine);
    const double accesses = rows->exclusive[row + FT_METRIC_ACCESSES];
    double hit_rates[FT_BANDWIDTH_LEVELS_MAX];
    if (!(accesses > 0))
        return 0;
    for (uint32_t i = 0; i + 1 < function->level_count; i++) {
        const size_t column = ft_set_assoc_column(i);
        const double misses = rows->exclusive[row + column];
        const double factor =
            end == VALUE ? 1 : ft_time_rows_growth(rows, row, column, misses, end == HIGH);
        hit_rates[i] = 1 - factor * misses / accesses;
    }
    ft_hit_rates_accumulate(hit_rates, function->level_count - 1);
    return accesses * FT_BANDWIDTH_BYTES_PER_ACCESS / (1e9 * ft_bandwidth_at(function, hit_rates));
}

/* What units take to start the operations of floating-point classes, if they never wait. */
static double flops_seconds(const struct ft_metrics *metrics,
                            const struct ft_model_scope_counts *counts)
{
    static const int classes[] = {FT_MIX_FP_ADD, FT_MIX_FP_MULTIPLY, FT_MIX_FP_FMA,
                                  FT_MIX_FP_DIVIDE};
    struct ft_scope_forecast forecast;
    double mix[FT_MIX_COUNT] = {0}, operations = 0;
    ft_scope_forecast_evaluate(counts, &metrics->at, &forecast);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        mix[classes[i]] = forecast.mix[classes[i]];
        operations += mix[classes[i]];
    }
    return ft_machine_seconds(metrics->machine,
                              ft_schedule_cycles(metrics->machine, operations, mix, NULL));
}

void ft_convolved_times_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                             const struct ft_bandwidth_function *function,
                             struct ft_convolved_time *ret_times)
{
    const struct ft_model *model = metrics->model;
    for (size_t i = 0; i < model->counts_count; i++)
        ret_times[model->counts[i].scope].flops_seconds +=
            flops_seconds(metrics, &model->counts[i]);
    for (size_t i = 0; i < model->scopes.scope_count; i++) {
        struct ft_convolved_time *time = &ret_times[i];
        const double low = memory_seconds(metrics, rows, function, i, LOW),
                     high = memory_seconds(metrics, rows, function, i, HIGH);
        time->memory_seconds = memory_seconds(metrics, rows, function, i, VALUE);
        time->seconds = time->memory_seconds + time->flops_seconds;
        /* The bandwidth need not fall with hit rates everywhere. */
        time->low = fmin(fmin(low, high), time->memory_seconds) + time->flops_seconds;
        time->high = fmax(fmax(low, high), time->memory_seconds) + time->flops_seconds;
    }
    ft_scopes_add_nested(&model->scopes, &ret_times[0].seconds, COLUMNS);
}
