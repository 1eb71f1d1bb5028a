#include "predict/time/time_components.h"

#include "predict/metrics/cycles.h"

const char *ft_time_component_name(const struct ft_machine *machine, size_t component)
{
    return component == FT_COMPONENT_CORE             ? "core"
           : component == FT_COMPONENT_MISPREDICTIONS ? "mispredictions"
           : component == FT_COMPONENT_SOURCES + machine->level_count
               ? "page faults"
               : ft_time_source_name(machine, component - FT_COMPONENT_SOURCES);
}

void ft_time_components_sum(const struct ft_machine *machine, const struct ft_scope_time *times,
                            const double *waits, size_t scope_count, double *ret_seconds)
{
    const size_t sources = machine->level_count;
    for (size_t k = 0; k < ft_time_component_count(machine); k++)
        ret_seconds[k] = 0;
    for (size_t i = 0; i < scope_count; i++) {
        ret_seconds[FT_COMPONENT_CORE] += times[i].core.cycles;
        ret_seconds[FT_COMPONENT_MISPREDICTIONS] += times[i].mispredicted;
        for (size_t k = 0; k < sources; k++)
            ret_seconds[FT_COMPONENT_SOURCES + k] += waits[i * sources + k];
        if (machine->page_fault_cycles > 0)
            ret_seconds[FT_COMPONENT_SOURCES + sources] += times[i].page_faults;
    }
    for (size_t k = 0; k < ft_time_component_count(machine); k++)
        ret_seconds[k] = ft_machine_seconds(machine, ret_seconds[k]);
}
