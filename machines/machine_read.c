/*
 * From the file to struct ft_machine: each section's numbers are read (machine_numbers.h), and what
 * sources name must be there; then the sections become levels and units, and the machine as a whole
 * is checked (ways that do not divide a cache, latencies that do not rise).
 */
#include "machines/machine_build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machines/core_file_name.h"
#include "machines/yaml_machine.h"

/* ---- numbers and their sources ---- */

static bool is_sourced(const struct ft_yaml_numbers *numbers, size_t key)
{
    return numbers->texts[key] && ft_number_keys[key].sourced;
}

/* Each source only names numbers of its section. */
static int check_sources(const struct ft_machine_section *section,
                         const struct ft_yaml_numbers *numbers,
                         const struct ft_yaml_sources *sources, struct ft_diag *diag)
{
    for (unsigned i = 0; i < sources->list_count; i++)
        for (unsigned j = 0; j < sources->list[i].figures_count; j++) {
            const char *name = sources->list[i].figures[j];
            const struct ft_number_key *key = ft_number_key_find(name);
            char figures[48];
            snprintf(figures, sizeof figures, "sources[%u].figures", i + 1);
            if (!key || !is_sourced(numbers, (size_t)(key - ft_number_keys)))
                return ft_machine_fail(section, figures, diag,
                                       "'%s' is not a field of this section", name);
        }
    return FT_OK;
}

/* All numbers of a section, in the units of their keys; 0 for those that are not given. */
static int read_numbers(const struct ft_machine_section *section,
                        const struct ft_yaml_numbers *numbers,
                        const struct ft_yaml_sources *sources,
                        double ret_values[FT_MACHINE_NUMBER_COUNT], struct ft_diag *diag)
{
    memset(ret_values, 0, FT_MACHINE_NUMBER_COUNT * sizeof *ret_values);
    for (size_t k = 0; k < FT_MACHINE_NUMBER_COUNT; k++)
        if (numbers->texts[k])
            FT_TRY(ft_machine_number(section, (enum ft_machine_number)k, numbers->texts[k],
                                     &ret_values[k], diag));
    return check_sources(section, numbers, sources, diag);
}

/* ---- sections ---- */

/* A list of levels in the file. */
struct level_list {
    const char *key;
    enum ft_level_kind kind;
    bool instruction;
    const struct ft_yaml_level *levels;
    unsigned count;
};

static struct ft_speed speed_of(const double values[FT_MACHINE_NUMBER_COUNT])
{
    return (struct ft_speed){
        .load_bytes_per_cycle = values[FT_NUMBER_load_bytes_per_cycle],
        .vector_bytes_per_cycle = values[FT_NUMBER_vector_bytes_per_cycle],
        .store_bytes_per_cycle = values[FT_NUMBER_store_bytes_per_cycle],
        .copy_bytes_per_cycle = values[FT_NUMBER_copy_bytes_per_cycle],
        .gather_bytes_per_cycle = values[FT_NUMBER_gather_bytes_per_cycle],
        .load_line_cycles = values[FT_NUMBER_load_line_cycles],
        .store_line_cycles = values[FT_NUMBER_store_line_cycles],
        .outstanding_misses = values[FT_NUMBER_outstanding_misses],
    };
}

static struct ft_behaviour behaviour_of(const struct ft_yaml_level *yaml, double prefetch_lines)
{
    const bool prefetches = yaml->prefetch != FT_PREFETCH_NONE;
    return (struct ft_behaviour){
        .replacement = (uint8_t)yaml->replacement,
        .inclusion = (uint8_t)yaml->inclusion,
        .write = (uint8_t)yaml->write,
        .write_miss = (uint8_t)yaml->write_miss,
        .prefetch = (uint8_t)yaml->prefetch,
        .prefetch_blocks = prefetches && prefetch_lines == 0 ? 1 : (uint32_t)prefetch_lines,
        .unified = yaml->unified,
    };
}

static int add_level(const struct ft_machine_source *source, const struct level_list *list,
                     unsigned index, struct ft_machine *machine, struct ft_diag *diag)
{
    const struct ft_yaml_level *yaml = &list->levels[index];
    const bool cache = list->kind == FT_LEVEL_CACHE;
    double values[FT_MACHINE_NUMBER_COUNT];
    char path[48];
    snprintf(path, sizeof path, "%s[%u]", list->key, index + 1);
    const struct ft_machine_section section = {source, path, yaml->name};
    FT_TRY(read_numbers(&section, &yaml->numbers, &yaml->sources, values, diag));
    const double ways = values[FT_NUMBER_ways], page = values[FT_NUMBER_page];
    const struct ft_level_text text = {
        .section = section,
        .kind = list->kind,
        .instruction = list->instruction,
        .capacity_bytes =
            (uint64_t)(cache ? values[FT_NUMBER_capacity] : values[FT_NUMBER_entries] * page),
        .block_bytes = (uint64_t)(cache ? values[FT_NUMBER_line] : page),
        .ways = isinf(ways) ? 0 : (uint64_t)ways,
        .latency_cycles = cache ? values[FT_NUMBER_latency_cycles] : values[FT_NUMBER_miss_cycles],
        .exposed_share = values[FT_NUMBER_exposed_share],
        .shared = yaml->shared || values[FT_NUMBER_shared_by] > 1,
        .shared_by = (uint32_t)values[FT_NUMBER_shared_by],
        .behaviour = behaviour_of(yaml, values[FT_NUMBER_prefetch_lines]),
        .speed = speed_of(values),
    };
    return ft_machine_add_level(machine, &text, diag);
}

static int add_levels(const struct ft_machine_source *source, const struct ft_yaml_machine *yaml,
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
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (unsigned i = 0; i < lists[list].count; i++)
            FT_TRY(add_level(source, &lists[list], i, machine, diag));
    return FT_OK;
}

static int add_units(const struct ft_machine_source *source, const struct ft_yaml_machine *yaml,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    machine->units = calloc(yaml->units_count ? yaml->units_count : 1, sizeof *machine->units);
    if (!machine->units)
        return ft_fail_memory(diag, source->name);
    for (unsigned i = 0; i < yaml->units_count; i++) {
        const struct ft_yaml_units *from = &yaml->units[i];
        struct ft_unit_class *to = &machine->units[i];
        double values[FT_MACHINE_NUMBER_COUNT];
        char path[32];
        snprintf(path, sizeof path, "units[%u]", i + 1);
        const struct ft_machine_section section = {source, path, from->name};
        FT_TRY(read_numbers(&section, &from->numbers, &from->sources, values, diag));
        const double repeat = values[FT_NUMBER_repeat_cycles];
        to->rate = values[FT_NUMBER_count] / (repeat != 0 ? repeat : 1);
        for (unsigned j = 0; j < from->classes_count; j++)
            to->classes[from->classes[j]] = true;
        to->name = strdup(from->name);
        if (!to->name)
            return ft_fail_memory(diag, source->name);
        machine->unit_count = i + 1;
    }
    return FT_OK;
}

static int read_operations(const struct ft_machine_source *source,
                           const struct ft_yaml_machine *yaml, struct ft_machine *machine,
                           struct ft_diag *diag)
{
    for (unsigned i = 0; i < yaml->operations_count; i++) {
        const struct ft_yaml_operation *operation = &yaml->operations[i];
        double values[FT_MACHINE_NUMBER_COUNT];
        char path[32];
        snprintf(path, sizeof path, "operations[%u]", i + 1);
        const struct ft_machine_section section = {source, path,
                                                   ft_mix_class_names[operation->class]};
        FT_TRY(read_numbers(&section, &operation->numbers, &operation->sources, values, diag));
        if (machine->operation_cycles[operation->class] != 0)
            return ft_machine_fail(&section, "class", diag, "another entry has this class");
        machine->operation_cycles[operation->class] = values[FT_NUMBER_latency_cycles];
    }
    return FT_OK;
}

static int read_core(const struct ft_machine_source *source, const struct ft_yaml_machine *yaml,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    const struct ft_machine_section core = {source, "core", NULL},
                                    memory = {source, "memory", NULL};
    double values[FT_MACHINE_NUMBER_COUNT];
    FT_TRY(read_numbers(&core, &yaml->core.numbers, &yaml->core.sources, values, diag));
    machine->clock_ghz = values[FT_NUMBER_clock_ghz];
    machine->issue_width = values[FT_NUMBER_issue_width];
    machine->store_forward_cycles = values[FT_NUMBER_store_forward_cycles];
    machine->store_conflict_cycles = values[FT_NUMBER_store_conflict_cycles];
    FT_TRY(read_numbers(&memory, &yaml->memory.numbers, &yaml->memory.sources, values, diag));
    machine->memory_latency_cycles = values[FT_NUMBER_latency_cycles];
    machine->dirty_memory_latency_cycles = values[FT_NUMBER_dirty_latency_cycles];
    machine->memory_speed = speed_of(values);
    machine->all_cores_bytes_per_cycle = values[FT_NUMBER_all_cores_bytes_per_cycle];
    machine->followed_stride_bytes = (uint64_t)values[FT_NUMBER_followed_stride];
    machine->page_fault_cycles = values[FT_NUMBER_page_fault_cycles];
    machine->ahead_lines = (uint64_t)values[FT_NUMBER_ahead_lines];
    return FT_OK;
}

static int copy_processors(const struct ft_yaml_machine *yaml, struct ft_machine *machine,
                           struct ft_diag *diag)
{
    machine->processors = calloc(yaml->cpuid_count + 1U, sizeof *machine->processors);
    if (!machine->processors)
        return ft_fail_memory(diag, "a machine's processors");
    for (; machine->processor_count < yaml->cpuid_count; machine->processor_count++) {
        char *text = strdup(yaml->cpuid[machine->processor_count]);
        if (!text)
            return ft_fail_memory(diag, "a machine's processors");
        machine->processors[machine->processor_count] = text;
    }
    return FT_OK;
}

static int copy_core_file(const struct ft_machine_source *source,
                          const struct ft_yaml_machine *yaml, struct ft_machine *machine,
                          struct ft_diag *diag)
{
    char path[FT_MACHINE_PATH];
    if (!yaml->core_file)
        return FT_OK;
    ft_core_file_path(yaml->core_file, path);
    if (access(path, R_OK) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: core_file: %s: %s", source->name, path,
                       strerror(errno));
    machine->core_file = strdup(yaml->core_file);
    return machine->core_file ? FT_OK : ft_fail_memory(diag, "a machine's core file");
}

static int build(const struct ft_machine_source *source, const char *name,
                 const struct ft_yaml_machine *yaml, struct ft_machine *machine,
                 struct ft_diag *diag)
{
    *machine = (struct ft_machine){.name = strdup(name), .description = strdup(yaml->description)};
    if (!machine->name || !machine->description)
        return ft_fail_memory(diag, source->name);
    FT_TRY(copy_processors(yaml, machine, diag));
    FT_TRY(copy_core_file(source, yaml, machine, diag));
    FT_TRY(read_core(source, yaml, machine, diag));
    FT_TRY(add_levels(source, yaml, machine, diag));
    FT_TRY(add_units(source, yaml, machine, diag));
    FT_TRY(read_operations(source, yaml, machine, diag));
    return ft_machine_check(source, machine, diag);
}

int ft_machine_build(const struct ft_machine_source *source, const char *name,
                     const struct ft_yaml_machine *yaml, struct ft_machine *ret_machine,
                     struct ft_diag *diag)
{
    struct ft_machine machine = {0};
    int status = build(source, name, yaml, &machine, diag);
    if (status == FT_OK)
        *ret_machine = machine;
    else
        ft_machine_fini(&machine);
    return status;
}
