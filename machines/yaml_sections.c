#include "machines/yaml_sections.h"

#include <stddef.h>
#include <stdio.h>

#include "machines/machine.h"

static const char *const booleans[] = {"false", "true"};

#define CHOICE(key, names, sections)                                                               \
    {                                                                                              \
#key, names, sizeof names / sizeof *names, offsetof(struct ft_yaml_level, key), sections   \
    }
const struct ft_yaml_choice ft_yaml_choices[FT_YAML_CHOICE_COUNT] = {
    CHOICE(shared, booleans, FT_IN_CACHES | FT_IN_TLBS),
    CHOICE(unified, booleans, FT_IN_CACHE | FT_IN_TLB),
    CHOICE(replacement, ft_replacement_names, FT_IN_CACHES | FT_IN_TLBS),
    CHOICE(inclusion, ft_inclusion_names, FT_IN_CACHES),
    CHOICE(write, ft_write_names, FT_IN_CACHE),
    CHOICE(write_miss, ft_write_miss_names, FT_IN_CACHE),
    CHOICE(prefetch, ft_prefetch_kind_names, FT_IN_CACHES),
};

int *ft_yaml_choice_of(const struct ft_yaml_section *section, const struct ft_yaml_choice *choice)
{
    const bool has = section->level && choice->sections >> section->kind & 1;
    return has ? (int *)((char *)section->level + choice->offset) : NULL;
}

/* NULL where the schema has no room for more: cannot be. */
static struct ft_yaml_section *add(struct ft_yaml_section_list *list, enum ft_section_kind kind,
                                   const char *key, unsigned entry)
{
    if (list->count == FT_SECTIONS_MAX)
        return NULL;
    struct ft_yaml_section *section = &list->items[list->count++];
    *section = (struct ft_yaml_section){.kind = kind};
    if (entry)
        snprintf(section->path, sizeof section->path, "%s[%u]", key, entry);
    else
        snprintf(section->path, sizeof section->path, "%s", key);
    section->name = key;
    return section;
}

static void add_levels(struct ft_yaml_section_list *list, enum ft_section_kind kind,
                       const char *key, struct ft_yaml_level *levels, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct ft_yaml_section *section = add(list, kind, key, i + 1);
        if (!section)
            return;
        section->name = levels[i].name;
        section->numbers = &levels[i].numbers;
        section->sources = &levels[i].sources;
        section->level = &levels[i];
    }
}

void ft_yaml_sections(struct ft_yaml_machine *yaml, struct ft_yaml_section_list *ret_list)
{
    struct ft_yaml_section_list *list = ret_list;
    list->count = 0;
    struct ft_yaml_section *core = add(list, FT_SECTION_CORE, "core", 0);
    core->numbers = &yaml->core.numbers;
    core->sources = &yaml->core.sources;
    add_levels(list, FT_SECTION_CACHE, "caches", yaml->caches, yaml->caches_count);
    struct ft_yaml_section *memory = add(list, FT_SECTION_MEMORY, "memory", 0);
    memory->numbers = &yaml->memory.numbers;
    memory->sources = &yaml->memory.sources;
    add_levels(list, FT_SECTION_TLB, "tlbs", yaml->tlbs, yaml->tlbs_count);
    add_levels(list, FT_SECTION_INSTRUCTION_CACHE, "instruction_caches", yaml->instruction_caches,
               yaml->instruction_caches_count);
    add_levels(list, FT_SECTION_INSTRUCTION_TLB, "instruction_tlbs", yaml->instruction_tlbs,
               yaml->instruction_tlbs_count);
    for (unsigned i = 0; i < yaml->units_count; i++) {
        struct ft_yaml_section *units = add(list, FT_SECTION_UNITS, "units", i + 1);
        if (!units)
            return;
        units->name = yaml->units[i].name;
        units->numbers = &yaml->units[i].numbers;
        units->sources = &yaml->units[i].sources;
    }
    for (unsigned i = 0; i < yaml->operations_count; i++) {
        struct ft_yaml_section *operation = add(list, FT_SECTION_OPERATION, "operations", i + 1);
        if (!operation)
            return;
        operation->name = ft_mix_class_names[yaml->operations[i].class];
        operation->numbers = &yaml->operations[i].numbers;
        operation->sources = &yaml->operations[i].sources;
    }
}
