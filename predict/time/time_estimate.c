#include "predict/time/time_estimate.h"

#include "predict/metrics/cycles.h"

/* Within so large a factor, to either side, 95 % of the times of tests/bench/time lay, on a machine
 * that was measured; where levels have latencies alone, it is a guess. */
#define FACTOR_MEASURED 2.1
#define FACTOR_ASSUMED  3.0

#define COLUMNS (sizeof(struct ft_time_estimate) / sizeof(double))

void ft_time_estimates_find(const struct ft_scopes *scopes, const struct ft_machine *machine,
                            const struct ft_scope_time *times,
                            struct ft_time_estimate *ret_estimates)
{
    const double factor =
        machine->memory_speed.load_line_cycles > 0 ? FACTOR_MEASURED : FACTOR_ASSUMED;
    for (size_t i = 0; i < scopes->scope_count; i++)
        ret_estimates[i] =
            (struct ft_time_estimate){ft_machine_seconds(machine, times[i].cycles),
                                      ft_machine_seconds(machine, times[i].low) / factor,
                                      ft_machine_seconds(machine, times[i].high) * factor};
    ft_scopes_add_nested(scopes, &ret_estimates[0].seconds, COLUMNS);
}
