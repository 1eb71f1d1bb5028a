#include "predict/metrics/cycles.h"

#include <math.h>

/*
 * Longest latencies of results among the processors of machines/: Itanium 2 multiplies integers in
 * its FP unit (15 cycles with both moves), Skylake divides 64-bit integers in up to 95, A64FX adds
 * and multiplies in 9 and divides vectors of 512 bits in 154. Accesses are charged apart; what a
 * branch that was not foreseen costs depends on data that no model has.
 */
static const double latencies[FT_MIX_COUNT] = {
    [FT_MIX_INTEGER] = 1,         [FT_MIX_INTEGER_MULTIPLY] = 15,
    [FT_MIX_INTEGER_DIVIDE] = 95, [FT_MIX_LOAD] = 0,
    [FT_MIX_STORE] = 1,           [FT_MIX_BRANCH] = 1,
    [FT_MIX_FP_ADD] = 9,          [FT_MIX_FP_MULTIPLY] = 9,
    [FT_MIX_FP_FMA] = 9,          [FT_MIX_FP_DIVIDE] = 154,
    [FT_MIX_VECTOR_INTEGER] = 9,  [FT_MIX_MOVE] = 1,
    [FT_MIX_OTHER] = 1,
};

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

double ft_latency_cycles(const struct ft_machine *machine, double instructions,
                         const double mix[FT_MIX_COUNT])
{
    double cycles = 0;
    for (int class = 0; class < FT_MIX_COUNT; class ++)
        cycles += mix[class] * fmax(latencies[class], machine->operation_cycles[class]);
    return fmax(cycles, instructions);
}

double ft_access_latency_cycles(const struct ft_machine *machine, double accesses,
                                const double *misses, bool dirty_memory)
{
    double cycles = machine->cache_count > 0 ? accesses * machine->levels[0].latency_cycles : 0;
    for (size_t i = 0; i < machine->level_count; i++)
        cycles += misses[i] * ft_machine_miss_cycles(machine, i, dirty_memory);
    return cycles;
}

double ft_machine_seconds(const struct ft_machine *machine, double cycles)
{
    return cycles / (machine->clock_ghz * 1e9);
}
