/*
 * Without a core file the groups of units become ports, one each, that take as many operations a
 * cycle as the group has units.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/core_file_name.h"
#include "machines/cores/core.h"

#define GENERIC_WINDOW 64

static int add_units(const struct ft_machine *machine, struct ft_core *core, struct ft_diag *diag)
{
    core->groups = calloc(machine->unit_count + 1, sizeof *core->groups);
    if (!core->groups)
        return ft_fail_memory(diag, "a core's units");
    for (uint32_t u = 0; u < machine->unit_count && u < FT_CORE_PORTS_MAX; u++) {
        core->port_names[u] = strdup(machine->units[u].name);
        core->groups[u] = (struct ft_core_group){.name = strdup(machine->units[u].name),
                                                 .ports = UINT64_C(1) << u};
        core->port_count = core->group_count = u + 1;
        if (!core->port_names[u] || !core->groups[u].name)
            return ft_fail_memory(diag, "a core's units");
    }
    return FT_OK;
}

static int add_class(const struct ft_machine *machine, struct ft_core *core, int class,
                     struct ft_diag *diag)
{
    struct ft_core_kind *kind = &core->kinds[core->kind_count++];
    kind->operations = 1;
    kind->latency_cycles =
        machine->operation_cycles[class] > 0 ? machine->operation_cycles[class] : 1;
    kind->uses = calloc(core->group_count + 1, sizeof *kind->uses);
    if (!kind->uses)
        return ft_fail_memory(diag, "a core's classes");
    for (uint32_t u = 0; u < core->group_count; u++)
        if (machine->units[u].classes[class])
            kind->uses[kind->use_count++] =
                (struct ft_core_use){.group = u, .cycles = 1 / machine->units[u].rate};
    core->of_class[class] = kind;
    return FT_OK;
}

static int generic(const struct ft_machine *machine, struct ft_core *core, struct ft_diag *diag)
{
    const double load =
        machine->cache_count > 0 ? machine->levels[0].latency_cycles : GENERIC_WINDOW;
    const double forward = machine->store_forward_cycles > 0 ? machine->store_forward_cycles : load;
    *core = (struct ft_core){
        .name = strdup(machine->name),
        .description = strdup(machine->description),
        .dispatch = machine->issue_width,
        .fetch = machine->issue_width,
        .window = GENERIC_WINDOW,
        .load_cycles = load,
        .vector_load_cycles = load,
        .forward_cycles = forward,
        .vector_forward_cycles = forward,
        .commit_group = FT_NO_GROUP,
        .taken_branches = 1,
        .kinds = calloc(FT_MIX_COUNT, sizeof *core->kinds),
    };
    if (!core->name || !core->description || !core->kinds)
        return ft_fail_memory(diag, "a core");
    FT_TRY(add_units(machine, core, diag));
    for (int class = 0; class < FT_MIX_COUNT; class ++)
        FT_TRY(add_class(machine, core, class, diag));
    return FT_OK;
}

int ft_core_of_machine(const struct ft_machine *machine, struct ft_core *ret_core,
                       struct ft_diag *diag)
{
    char *name = machine->core_file
                     ? strdup(machine->core_file)
                     : ft_core_file_name_of(machine->processors, machine->processor_count);
    struct ft_core core = {0};
    int status = name ? ft_core_load(name, &core, diag) : generic(machine, &core, diag);
    free(name);
    if (status == FT_OK)
        *ret_core = core;
    else
        ft_core_fini(&core);
    return status;
}
