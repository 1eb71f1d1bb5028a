#include "predict/cycles.h"

/* One division for each group of units; the largest quotient is the bound. */
double ft_schedule_cycles(const struct ft_machine *machine, double instructions,
                          const double mix[FT_MIX_COUNT], const char **ret_limit)
{
    double cycles = instructions / machine->issue_width;
    const char *limit = "issue width";
    for (size_t i = 0; i < machine->unit_count; i++) {
        const struct ft_unit_class *units = &machine->units[i];
        double operations = 0;
        for (int class = 0; class < FT_MIX_COUNT; class ++)
            operations += units->classes[class] ? mix[class] : 0;
        if (operations / units->rate > cycles) {
            cycles = operations / units->rate;
            limit = units->name;
        }
    }
    if (ret_limit)
        *ret_limit = limit;
    return cycles;
}

double ft_memory_cycles(const struct ft_machine *machine, const double *misses, bool dirty_memory)
{
    double cycles = 0;
    for (size_t i = 0; i < machine->level_count; i++)
        cycles += misses[i] * ft_machine_miss_cycles(machine, i, dirty_memory) *
                  machine->levels[i].exposed_share;
    return cycles;
}

double ft_machine_seconds(const struct ft_machine *machine, double cycles)
{
    return cycles / (machine->clock_ghz * 1e9);
}
