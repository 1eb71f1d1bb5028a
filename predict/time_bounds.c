#include "predict/time_bounds.h"

#include <math.h>

#include "predict/cycles.h"

/* An end of a metric's interval; the value itself where the model has no replicas. */
static double end_of(double value, const struct ft_interval *interval, double end)
{
    if (ft_interval_is_refused(interval))
        return NAN;
    return isnan(end) ? value : fmax(end, 0);
}

struct ft_time_bounds ft_time_bounds_of(const struct ft_prediction *prediction, size_t scope)
{
    const struct ft_machine *machine = prediction->machine;
    const double *row = prediction->inclusive + scope * prediction->width;
    const struct ft_interval *intervals = prediction->intervals + scope * prediction->width;
    const struct ft_interval *schedule = &intervals[FT_METRIC_SCHEDULE_CYCLES];
    const struct ft_interval *serial = &intervals[FT_METRIC_SERIAL_CYCLES];
    return (struct ft_time_bounds){
        .least_seconds = ft_machine_seconds(
            machine, end_of(row[FT_METRIC_SCHEDULE_CYCLES], schedule, schedule->low)),
        .most_seconds =
            ft_machine_seconds(machine, end_of(row[FT_METRIC_SERIAL_CYCLES], serial, serial->high)),
    };
}
