#include "predict/time_bounds.h"

#include <math.h>

#include "predict/metrics/cycles.h"

/* The least cycles of a scope; of the program no less than those of any scope in it, for its
 * interval may be wide where that of the scope is not. NAN where none is known. */
static double least_cycles(const struct ft_prediction *prediction, size_t scope)
{
    const size_t column = scope * prediction->width + FT_METRIC_SCHEDULE_CYCLES;
    const struct ft_interval *interval = &prediction->intervals[column];
    double least = ft_interval_end(prediction->inclusive[column], interval, interval->low);
    for (size_t i = 1; scope == 0 && i < prediction->model->scopes.scope_count; i++)
        least = fmax(least, least_cycles(prediction, i));
    return least;
}

/* Of all threads. None without an estimate. */
static double page_fault_cycles(const struct ft_prediction *prediction, size_t scope)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    double cycles = 0;
    for (size_t i = 0; prediction->times && i < scopes->scope_count; i++)
        if (prediction->times[i].page_faults > 0 &&
            (scope == 0 || ft_scope_is_inside(scopes, (uint32_t)i, (uint32_t)scope)))
            cycles += prediction->times[i].page_faults * prediction->times[i].together;
    return cycles;
}

struct ft_time_bounds ft_time_bounds_of(const struct ft_prediction *prediction, size_t scope)
{
    const struct ft_machine *machine = prediction->machine;
    const double *row = prediction->inclusive + scope * prediction->width;
    const struct ft_interval *intervals = prediction->intervals + scope * prediction->width;
    const struct ft_interval *serial = &intervals[FT_METRIC_SERIAL_CYCLES];
    return (struct ft_time_bounds){
        .least_seconds = ft_machine_seconds(machine, least_cycles(prediction, scope)) /
                         fmax(prediction->threads.count, 1),
        .most_seconds = ft_machine_seconds(
            machine, ft_interval_end(row[FT_METRIC_SERIAL_CYCLES], serial, serial->high) +
                         page_fault_cycles(prediction, scope)),
    };
}
