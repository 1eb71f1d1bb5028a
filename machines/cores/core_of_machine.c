/*
 * The processors of a machine are looked for in the heads of the core files, as text: to parse
 * thousands of forms takes longer. Without one the groups of units become ports, one each, that
 * take as many operations a cycle as the group has units.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "machines/cores/core.h"
#include "machines/machine_folder.h"

#define HEAD_BYTES     2048
#define GENERIC_WINDOW 64

/* ---- the core file of a processor ---- */

static bool names_processor(const char *path, const struct ft_machine *machine)
{
    char head[HEAD_BYTES], quoted[128];
    FILE *file = fopen(path, "r");
    bool found = false;
    if (!file)
        return false;
    head[fread(head, 1, sizeof head - 1, file)] = 0;
    (void)fclose(file);
    for (size_t i = 0; i < machine->processor_count && !found; i++) {
        snprintf(quoted, sizeof quoted, "\"%.100s\"", machine->processors[i]);
        found = strstr(head, quoted) != NULL;
    }
    return found;
}

/* malloc'ed; NULL where there is none. */
static char *name_of_core(const struct ft_machine *machine)
{
    char folder[PATH_MAX], pattern[PATH_MAX + 16], *name = NULL;
    glob_t found = {0};
    ft_machine_folder(folder);
    snprintf(pattern, sizeof pattern, "%s/cores/*.yaml", folder);
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < count && !name; i++)
        if (names_processor(found.gl_pathv[i], machine)) {
            const char *file = ft_file_name(found.gl_pathv[i]);
            name = strndup(file, strlen(file) - strlen(".yaml"));
        }
    globfree(&found);
    return name;
}

/* ---- generic classes ---- */

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
    char *name = name_of_core(machine);
    struct ft_core core = {0};
    int status = name ? ft_core_load(name, &core, diag) : generic(machine, &core, diag);
    free(name);
    if (status == FT_OK)
        *ret_core = core;
    else
        ft_core_fini(&core);
    return status;
}
