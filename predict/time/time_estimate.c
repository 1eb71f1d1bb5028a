#include "predict/time/time_estimate.h"

#include <math.h>

#include "predict/metrics/cycles.h"

/* Within so large a factor, to either side, 95 % of the times of tests/bench/time lay, on a machine
 * that was measured; where levels have latencies alone, it is a guess. */
#define FACTOR_MEASURED 2.1
#define FACTOR_ASSUMED  3.0

#define COLUMNS (sizeof(struct ft_time_estimate) / sizeof(double))

static struct ft_time_estimate estimate_of(const struct ft_machine *machine,
                                           const struct ft_scope_time *time, double factor,
                                           double first)
{
    const double seconds = ft_machine_seconds(machine, time->cycles);
    const double low = ft_machine_seconds(machine, time->low) / factor;
    const double high = ft_machine_seconds(machine, time->high) * factor;
    return (struct ft_time_estimate){.seconds = seconds,
                                     .low = low,
                                     .high = high,
                                     .cpu_seconds = seconds * time->together,
                                     .cpu_low = low * time->together,
                                     .cpu_high = high * time->together,
                                     .first_low = low * time->together * first};
}

void ft_time_estimates_find(const struct ft_scopes *scopes, const struct ft_machine *machine,
                            const struct ft_scope_time *times, const struct ft_thread_work *threads,
                            struct ft_time_estimate *ret_estimates)
{
    const double factor =
        machine->memory_speed.load_line_cycles > 0 ? FACTOR_MEASURED : FACTOR_ASSUMED;
    const bool is_divided = threads->count > 1 && threads->splits;
    for (size_t i = 0; i < scopes->scope_count; i++)
        ret_estimates[i] =
            estimate_of(machine, &times[i], factor, is_divided ? threads->splits[i].first : 1);
    ft_scopes_add_nested(scopes, &ret_estimates[0].seconds, COLUMNS);
    for (size_t i = 0; is_divided && i < scopes->scope_count; i++) {
        struct ft_time_estimate *estimate = &ret_estimates[i];
        estimate->low =
            fmin(estimate->low, fmax(estimate->first_low, estimate->cpu_low / threads->count));
    }
}
