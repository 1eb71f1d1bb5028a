/*
 * A core file becomes ports as bits, groups as sets of them, and forms that are found by bisection.
 */
#include "machines/cores/core.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/core_file_name.h"
#include "machines/cores/core_yaml.h"

static int fail_value(const char *name, const char *what, const char *value, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "core file %s: %s '%.60s'", name, what, value);
}

/* ---- ports and groups ---- */

static int add_port(struct ft_core *core, const char *name, uint64_t *ports, struct ft_diag *diag)
{
    uint32_t port = 0;
    while (port < core->port_count && strcmp(core->port_names[port], name) != 0)
        port++;
    if (port == FT_CORE_PORTS_MAX)
        return fail_value(core->name, "too many ports:", name, diag);
    if (port == core->port_count) {
        core->port_names[port] = strdup(name);
        if (!core->port_names[port])
            return ft_fail_memory(diag, "ports");
        core->port_count++;
    }
    *ports |= UINT64_C(1) << port;
    return FT_OK;
}

static int add_groups(struct ft_core *core, const struct ft_yaml_core_file *yaml,
                      struct ft_diag *diag)
{
    core->groups = calloc(yaml->groups_count, sizeof *core->groups);
    if (!core->groups)
        return ft_fail_memory(diag, "groups of ports");
    for (unsigned g = 0; g < yaml->groups_count; g++) {
        struct ft_core_group *group = &core->groups[core->group_count++];
        group->name = strdup(yaml->groups[g].name);
        if (!group->name)
            return ft_fail_memory(diag, "groups of ports");
        for (unsigned p = 0; p < yaml->groups[g].ports_count; p++)
            FT_TRY(add_port(core, yaml->groups[g].ports[p], &group->ports, diag));
        if (!group->ports)
            return fail_value(core->name, "no ports in group", group->name, diag);
    }
    return FT_OK;
}

/* ---- kinds and forms ---- */

static int find_group(const struct ft_core *core, const char *text, size_t length,
                      uint32_t *ret_group, struct ft_diag *diag)
{
    for (uint32_t g = 0; g < core->group_count; g++)
        if (strlen(core->groups[g].name) == length &&
            strncmp(core->groups[g].name, text, length) == 0) {
            *ret_group = g;
            return FT_OK;
        }
    return fail_value(core->name, "unknown group in", text, diag);
}

/* "GROUP" or "GROUP*CYCLES". */
static int read_use(const struct ft_core *core, const char *text, struct ft_core_use *ret_use,
                    struct ft_diag *diag)
{
    const size_t length = strcspn(text, "*");
    char *end = NULL;
    ret_use->cycles = 1;
    if (text[length]) {
        ret_use->cycles = (double)strtoul(text + length + 1, &end, 10);
        if (*end || ret_use->cycles < 1 || ret_use->cycles > 10000)
            return fail_value(core->name, "no cycles in", text, diag);
    }
    return find_group(core, text, length, &ret_use->group, diag);
}

static int add_kind(struct ft_core *core, const struct ft_yaml_core_kind *yaml,
                    struct ft_diag *diag)
{
    struct ft_core_kind *kind = &core->kinds[core->kind_count++];
    kind->operations = yaml->operations;
    kind->latency_cycles = yaml->latency;
    kind->chained_cycles = yaml->chained;
    kind->uses = calloc(yaml->units_count + 1, sizeof *kind->uses);
    if (!kind->uses)
        return ft_fail_memory(diag, "kinds of instructions");
    for (; kind->use_count < yaml->units_count; kind->use_count++)
        FT_TRY(read_use(core, yaml->units[kind->use_count], &kind->uses[kind->use_count], diag));
    for (unsigned f = 0; f < yaml->forms_count; f++) {
        char *text = strdup(yaml->forms[f]);
        if (!text)
            return ft_fail_memory(diag, "forms of instructions");
        core->form_texts[core->form_count] = text;
        core->forms[core->form_count++] =
            (struct ft_core_form){.text = text, .kind = core->kind_count - 1};
    }
    return FT_OK;
}

static int compare_forms(const void *a, const void *b)
{
    return strcmp(((const struct ft_core_form *)a)->text, ((const struct ft_core_form *)b)->text);
}

static int add_kinds(struct ft_core *core, const struct ft_yaml_core_file *yaml,
                     struct ft_diag *diag)
{
    size_t forms = 0;
    for (unsigned k = 0; k < yaml->kinds_count; k++)
        forms += yaml->kinds[k].forms_count;
    core->kinds = calloc(yaml->kinds_count, sizeof *core->kinds);
    core->forms = calloc(forms + 1, sizeof *core->forms);
    core->form_texts = calloc(forms + 1, sizeof *core->form_texts);
    if (!core->kinds || !core->forms || !core->form_texts)
        return ft_fail_memory(diag, "kinds of instructions");
    for (unsigned k = 0; k < yaml->kinds_count; k++)
        FT_TRY(add_kind(core, &yaml->kinds[k], diag));
    qsort(core->forms, core->form_count, sizeof *core->forms, compare_forms);
    return FT_OK;
}

/* ---- the module's functions ---- */

static uint32_t number_or(unsigned value, double otherwise)
{
    return value > 0 ? value : (uint32_t)ceil(otherwise);
}

/* Files of version 1 don't have these: what is usual for the width and the window. */
static void set_buffers(struct ft_core *core, const struct ft_yaml_core_file *yaml)
{
    core->retire = number_or(yaml->retire, core->dispatch);
    core->load_buffer = number_or(yaml->load_buffer, core->window / 3.0);
    core->store_buffer = number_or(yaml->store_buffer, core->window / 4.0);
    core->miss_buffers = number_or(yaml->miss_buffers, 16);
    core->page_walks = number_or(yaml->page_walks, 2);
    core->mispredict_cycles = number_or(yaml->mispredict_cycles, 15);
}

static int set_op_cache(struct ft_core *core, const struct ft_yaml_core_file *yaml,
                        struct ft_diag *diag)
{
    const unsigned window = yaml->op_cache_window;
    const unsigned entries = yaml->op_cache_entries > 0 ? yaml->op_cache_entries : 2;
    if (window > 0 && (window & (window - 1) || yaml->op_cache_entry == 0 || entries > 2 ||
                       (entries == 2 && yaml->decode_cycles == 0)))
        return ft_fail(diag, FT_ERROR_DATA,
                       "core file %s: op_cache_window must be a power of two, and have "
                       "op_cache_entry beside it, and decode_cycles, or op_cache_entries of 1",
                       core->name);
    core->op_cache = (struct ft_op_cache){.window_bytes = window,
                                          .entry_instructions = yaml->op_cache_entry,
                                          .entries = entries,
                                          .decode_cycles = yaml->decode_cycles};
    return FT_OK;
}

static int build(struct ft_core *core, const struct ft_yaml_core_file *yaml, struct ft_diag *diag)
{
    core->dispatch = yaml->dispatch;
    core->fetch = yaml->fetch;
    core->window = yaml->window;
    core->load_cycles = yaml->load_cycles;
    core->vector_load_cycles = yaml->vector_load_cycles;
    core->complex_load_cycles = yaml->complex_load_cycles;
    core->forward_cycles = yaml->forward_cycles;
    core->vector_forward_cycles =
        yaml->vector_forward_cycles ? yaml->vector_forward_cycles : yaml->forward_cycles;
    core->taken_branches = yaml->taken_branches;
    core->fuses_accesses = yaml->fuses_accesses != 0;
    core->renames_memory = yaml->renames_memory != 0;
    core->commit_group = FT_NO_GROUP;
    if (core->dispatch < 1 || core->fetch < 1 || core->window < 1 || core->taken_branches < 1)
        return ft_fail(diag, FT_ERROR_DATA,
                       "core file %s: dispatch, fetch, window and taken_branches must be positive",
                       core->name);
    set_buffers(core, yaml);
    FT_TRY(set_op_cache(core, yaml, diag));
    core->description = strdup(yaml->description);
    core->fuses = calloc(yaml->fuses_count + 1, sizeof *core->fuses);
    if (!core->description || !core->fuses)
        return ft_fail_memory(diag, "a core");
    for (; core->fuse_count < yaml->fuses_count; core->fuse_count++) {
        core->fuses[core->fuse_count] = strdup(yaml->fuses[core->fuse_count]);
        if (!core->fuses[core->fuse_count])
            return ft_fail_memory(diag, "a core");
    }
    FT_TRY(add_groups(core, yaml, diag));
    if (yaml->commit)
        FT_TRY(find_group(core, yaml->commit, strlen(yaml->commit), &core->commit_group, diag));
    return add_kinds(core, yaml, diag);
}

int ft_core_load(const char *name, struct ft_core *ret_core, struct ft_diag *diag)
{
    char path[FT_MACHINE_PATH];
    struct ft_yaml_core_file *yaml = NULL;
    struct ft_core core = {.name = strdup(name)};
    ft_core_file_path(name, path);
    int status =
        core.name ? ft_yaml_core_file_read(path, &yaml, diag) : ft_fail_memory(diag, "a core");
    if (status == FT_OK)
        status = build(&core, yaml, diag);
    ft_yaml_core_file_free(yaml);
    if (status == FT_OK)
        *ret_core = core;
    else
        ft_core_fini(&core);
    return status;
}

void ft_core_fini(struct ft_core *core)
{
    for (uint32_t i = 0; i < core->port_count; i++)
        free(core->port_names[i]);
    for (uint32_t i = 0; i < core->group_count; i++)
        free(core->groups[i].name);
    for (uint32_t i = 0; i < core->kind_count; i++)
        free(core->kinds[i].uses);
    for (uint32_t i = 0; i < core->form_count; i++)
        free(core->form_texts[i]);
    for (uint32_t i = 0; i < core->fuse_count; i++)
        free(core->fuses[i]);
    free((void *)core->form_texts);
    free((void *)core->fuses);
    free(core->forms);
    free(core->kinds);
    free(core->groups);
    free(core->description);
    free(core->name);
    *core = (struct ft_core){0};
}

const struct ft_core_kind *ft_core_find(const struct ft_core *core, const char *form)
{
    const struct ft_core_form wanted = {.text = form};
    const struct ft_core_form *found =
        core->form_count == 0
            ? NULL
            : bsearch(&wanted, core->forms, core->form_count, sizeof *core->forms, compare_forms);
    return found ? &core->kinds[found->kind] : NULL;
}

bool ft_core_fuses(const struct ft_core *core, const char *mnemonic)
{
    for (uint32_t i = 0; i < core->fuse_count; i++)
        if (strcmp(core->fuses[i], mnemonic) == 0)
            return true;
    return false;
}
