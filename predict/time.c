#include "predict/time.h"

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
