#include "machines/machine.h"

#include <stdlib.h>
#include <string.h>

const char *const ft_level_kind_names[2] = {"cache", "tlb"};
const char *const ft_replacement_names[3] = {"lru", "plru", "random"};
const char *const ft_inclusion_names[3] = {"none", "inclusive", "exclusive"};
const char *const ft_write_names[2] = {"back", "through"};
const char *const ft_write_miss_names[2] = {"allocate", "around"};
const char *const ft_prefetch_kind_names[3] = {"none", "next_line", "stride"};

void ft_machine_fini(struct ft_machine *machine)
{
    for (size_t i = 0; i < machine->level_count; i++)
        free(machine->levels[i].name);
    for (size_t i = 0; i < machine->instruction_level_count; i++)
        free(machine->instruction_levels[i].name);
    for (size_t i = 0; i < machine->unit_count; i++)
        free(machine->units[i].name);
    for (size_t i = 0; i < machine->processor_count; i++)
        free(machine->processors[i]);
    free(machine->levels);
    free(machine->instruction_levels);
    free(machine->units);
    free(machine->name);
    free(machine->description);
    free(machine->core_file);
    free((void *)machine->processors);
    *machine = (struct ft_machine){0};
}

struct ft_machine ft_machine_without_instructions(const struct ft_machine *machine)
{
    struct ft_machine data = *machine;
    data.instruction_levels = NULL;
    data.instruction_level_count = data.instruction_cache_count = 0;
    return data;
}

size_t ft_machine_find_level(const struct ft_machine *machine, const char *name)
{
    size_t level = 0;
    while (level < machine->level_count && strcmp(machine->levels[level].name, name) != 0)
        level++;
    return level;
}

double ft_machine_memory_cycles(const struct ft_machine *machine, bool dirty_memory)
{
    return dirty_memory && machine->dirty_memory_latency_cycles != 0
               ? machine->dirty_memory_latency_cycles
               : machine->memory_latency_cycles;
}

double ft_machine_miss_cycles(const struct ft_machine *machine, size_t index, bool dirty_memory)
{
    const struct ft_level *level = &machine->levels[index];
    if (level->kind == FT_LEVEL_TLB)
        return level->latency_cycles;
    if (index + 1 < machine->cache_count)
        return machine->levels[index + 1].latency_cycles - level->latency_cycles;
    return ft_machine_memory_cycles(machine, dirty_memory) - level->latency_cycles;
}
