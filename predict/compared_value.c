#include "predict/compared_value.h"

#include <math.h>
#include <stdint.h>

#include "predict/metrics/cycles.h"
#include "predict/time_bounds.h"

static struct ft_compared_value time_of(const struct ft_prediction *prediction, size_t scope)
{
    const struct ft_time_bounds bounds = ft_time_bounds_of(prediction, scope);
    if (!prediction->estimates)
        return (struct ft_compared_value){NAN, bounds.least_seconds, bounds.most_seconds};
    const struct ft_time_estimate *estimate = &prediction->estimates[scope];
    return (struct ft_compared_value){estimate->seconds, estimate->low, estimate->high};
}

static struct ft_compared_value metric_of(const struct ft_prediction *prediction, size_t scope,
                                          size_t column)
{
    const struct ft_interval *interval = &prediction->intervals[scope * prediction->width + column];
    const double value = prediction->inclusive[scope * prediction->width + column];
    if (ft_interval_is_refused(interval))
        return (struct ft_compared_value){NAN, NAN, NAN};
    if (isnan(interval->low))
        return (struct ft_compared_value){value, NAN, NAN};
    return (struct ft_compared_value){value, fmax(interval->low, 0), fmax(interval->high, 0)};
}

size_t ft_shown_metric_column(const struct ft_shown_metric *metric,
                              const struct ft_prediction *prediction)
{
    if (metric->kind == FT_SHOW_ACCESSES)
        return FT_METRIC_ACCESSES;
    if (metric->kind == FT_SHOW_INSTRUCTIONS)
        return FT_METRIC_INSTRUCTIONS;
    const size_t level = metric->level ? ft_machine_find_level(prediction->machine, metric->level)
                                       : prediction->machine->level_count;
    if (level == prediction->machine->level_count)
        return SIZE_MAX;
    return metric->kind == FT_SHOW_MISSES ? ft_set_assoc_column(level)
                                          : ft_fully_assoc_column(level);
}

struct ft_compared_value ft_compared_value_of(const struct ft_prediction *prediction, size_t scope,
                                              const struct ft_shown_metric *metric)
{
    if (metric->kind == FT_SHOW_TIME)
        return time_of(prediction, scope);
    const size_t column = ft_shown_metric_column(metric, prediction);
    return column != SIZE_MAX ? metric_of(prediction, scope, column)
                              : (struct ft_compared_value){NAN, NAN, NAN};
}

double ft_compared_exclusive_of(const struct ft_prediction *prediction, size_t scope,
                                const struct ft_shown_metric *metric)
{
    if (metric->kind == FT_SHOW_TIME)
        return prediction->times
                   ? ft_machine_seconds(prediction->machine, prediction->times[scope].cycles)
                   : NAN;
    const size_t column = ft_shown_metric_column(metric, prediction);
    return column != SIZE_MAX ? prediction->exclusive[scope * prediction->width + column] : NAN;
}
