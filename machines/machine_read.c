/*
 * From the file to struct ft_machine: every section must name a source for each of its fields; then
 * the sections become levels and units, and the machine as a whole is checked (ways that do not
 * divide a cache, latencies that do not rise, classes of work without a unit).
 */
#include "machines/machine_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "machines/yaml_machine.h"

/* ---- sources ---- */

/* Each of `fields` (a NULL ends them) must be named by a source, and each source only names
 * fields of its section. */
static int check_sources(const char *path, const char *section,
                         const struct ft_yaml_sources *sources, const char *const *fields,
                         struct ft_diag *diag)
{
    bool known[16] = {false};
    for (unsigned i = 0; i < sources->list_count; i++)
        for (unsigned j = 0; j < sources->list[i].figures_count; j++) {
            const char *name = sources->list[i].figures[j];
            size_t k = 0;
            while (fields[k] && strcmp(fields[k], name) != 0)
                k++;
            if (!fields[k])
                return ft_fail(diag, FT_ERROR_DATA,
                               "%s: %s.sources[%u].figures: '%s' is not a field of this section",
                               path, section, i + 1, name);
            known[k] = true;
        }
    for (size_t k = 0; fields[k]; k++)
        if (!known[k])
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s.%s: no source given", path, section,
                           fields[k]);
    return FT_OK;
}

/* ---- sections ---- */

static int parse_size(const char *path, const char *section, const char *key, const char *text,
                      uint64_t *ret_bytes, struct ft_diag *diag)
{
    struct ft_diag why;
    if (ft_parse_bytes(text, ret_bytes, &why) != FT_OK)
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s.%s: %s", path, section, key, why.message);
    return FT_OK;
}

/* A list of levels in the file. */
struct level_list {
    const char *key;
    enum ft_level_kind kind;
    bool instruction;
    const struct ft_yaml_level *levels;
    unsigned count;
};

/* The fields that need sources. */
static int check_level_sources(const char *path, const char *section, const struct level_list *list,
                               const struct ft_yaml_level *yaml, struct ft_diag *diag)
{
    const char *fields[8];
    size_t count = 0;
    bool cache = list->kind == FT_LEVEL_CACHE;
    fields[count++] = cache ? "capacity" : "entries";
    fields[count++] = cache ? "line" : "page";
    fields[count++] = "ways";
    if (!list->instruction) {
        fields[count++] = cache ? "latency_cycles" : "miss_cycles";
        fields[count++] = "exposed_share";
    }
    if (yaml->prefetch_lines)
        fields[count++] = "prefetch_lines";
    fields[count] = NULL;
    return check_sources(path, section, &yaml->sources, fields, diag);
}

static int add_level(const char *path, const struct level_list *list, unsigned index,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    const struct ft_yaml_level *yaml = &list->levels[index];
    bool cache = list->kind == FT_LEVEL_CACHE, prefetches = yaml->prefetch != FT_PREFETCH_NONE;
    char section[48];
    snprintf(section, sizeof section, "%s[%u]", list->key, index + 1);
    struct ft_level_text text = {
        .where = path,
        .section = section,
        .name = yaml->name,
        .kind = list->kind,
        .instruction = list->instruction,
        .ways = yaml->ways,
        .latency_cycles = yaml->latency_cycles,
        .exposed_share = yaml->exposed_share,
        .shared = yaml->shared || yaml->shared_by > 1,
        .shared_by = yaml->shared_by > UINT32_MAX ? UINT32_MAX : (uint32_t)yaml->shared_by,
        .behaviour = {.replacement = (uint8_t)yaml->replacement,
                      .inclusion = (uint8_t)yaml->inclusion,
                      .write = (uint8_t)yaml->write,
                      .write_miss = (uint8_t)yaml->write_miss,
                      .prefetch = (uint8_t)yaml->prefetch,
                      .prefetch_blocks =
                          prefetches && !yaml->prefetch_lines ? 1 : yaml->prefetch_lines,
                      .unified = yaml->unified},
    };
    int status = check_level_sources(path, section, list, yaml, diag);
    if (status == FT_OK)
        status = parse_size(path, section, cache ? "line" : "page", cache ? yaml->line : yaml->page,
                            &text.block_bytes, diag);
    if (status == FT_OK && cache)
        status = parse_size(path, section, "capacity", yaml->capacity, &text.capacity_bytes, diag);
    else if (status == FT_OK &&
             __builtin_mul_overflow(yaml->entries, text.block_bytes, &text.capacity_bytes))
        status = ft_fail(diag, FT_ERROR_DATA, "%s: %s.entries: too many", path, section);
    return status == FT_OK ? ft_machine_add_level(machine, &text, diag) : status;
}

static int add_levels(const char *path, const struct ft_yaml_machine *yaml,
                      struct ft_machine *machine, struct ft_diag *diag)
{
    const struct level_list lists[] = {
        {"caches", FT_LEVEL_CACHE, false, yaml->caches, yaml->caches_count},
        {"tlbs", FT_LEVEL_TLB, false, yaml->tlbs, yaml->tlbs_count},
        {"instruction_caches", FT_LEVEL_CACHE, true, yaml->instruction_caches,
         yaml->instruction_caches_count},
        {"instruction_tlbs", FT_LEVEL_TLB, true, yaml->instruction_tlbs,
         yaml->instruction_tlbs_count},
    };
    int status = FT_OK;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (unsigned i = 0; status == FT_OK && i < lists[list].count; i++)
            status = add_level(path, &lists[list], i, machine, diag);
    return status;
}

static int add_units(const char *path, const struct ft_yaml_machine *yaml,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    machine->units = calloc(yaml->units_count ? yaml->units_count : 1, sizeof *machine->units);
    if (!machine->units)
        return ft_fail_memory(diag, path);
    for (unsigned i = 0; i < yaml->units_count; i++) {
        const struct ft_yaml_units *from = &yaml->units[i];
        struct ft_unit_class *to = &machine->units[i];
        char section[32];
        snprintf(section, sizeof section, "units[%u]", i + 1);
        const char *const fields[] = {"count", from->repeat_cycles != 0 ? "repeat_cycles" : NULL,
                                      NULL};
        int status = check_sources(path, section, &from->sources, fields, diag);
        if (status != FT_OK)
            return status;
        double repeat = from->repeat_cycles != 0 ? from->repeat_cycles : 1;
        if (!(from->count > 0 && isfinite(from->count)))
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s.count: expected a number above 0", path,
                           section);
        if (!(repeat > 0 && isfinite(repeat)))
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s.repeat_cycles: expected a number above 0",
                           path, section);
        to->rate = from->count / repeat;
        for (unsigned j = 0; j < from->classes_count; j++)
            to->classes[from->classes[j]] = true;
        to->name = strdup(from->name);
        if (!to->name)
            return ft_fail_memory(diag, path);
        machine->unit_count = i + 1;
    }
    return FT_OK;
}

static int check_section_sources(const char *path, const struct ft_yaml_machine *yaml,
                                 struct ft_diag *diag)
{
    static const char *const core[] = {"clock_ghz", "issue_width", NULL};
    const char *const memory[] = {
        "latency_cycles", yaml->memory.dirty_latency_cycles != 0 ? "dirty_latency_cycles" : NULL,
        NULL};
    FT_TRY(check_sources(path, "core", &yaml->core.sources, core, diag));
    return check_sources(path, "memory", &yaml->memory.sources, memory, diag);
}

static int build(const char *path, const char *name, const struct ft_yaml_machine *yaml,
                 struct ft_machine *machine, struct ft_diag *diag)
{
    *machine = (struct ft_machine){
        .name = strdup(name),
        .description = strdup(yaml->description),
        .clock_ghz = yaml->core.clock_ghz,
        .issue_width = yaml->core.issue_width,
        .memory_latency_cycles = yaml->memory.latency_cycles,
        .dirty_memory_latency_cycles = yaml->memory.dirty_latency_cycles,
    };
    if (!machine->name || !machine->description)
        return ft_fail_memory(diag, path);
    FT_TRY(check_section_sources(path, yaml, diag));
    FT_TRY(add_levels(path, yaml, machine, diag));
    FT_TRY(add_units(path, yaml, machine, diag));
    return ft_machine_check(path, machine, diag);
}

int ft_machine_read(const char *path, const char *name, struct ft_machine *ret_machine,
                    struct ft_diag *diag)
{
    struct ft_yaml_machine *yaml;
    struct ft_machine machine = {0};
    FT_TRY(ft_yaml_machine_read(path, &yaml, diag));
    int status = build(path, name, yaml, &machine, diag);
    ft_yaml_machine_free(yaml);
    if (status != FT_OK) {
        ft_machine_fini(&machine);
        return status;
    }
    *ret_machine = machine;
    return FT_OK;
}
