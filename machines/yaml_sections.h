/*
 * The sections of a machine file as one list, in the order of files, for what looks at all values:
 * edits, checks, comparisons. A section points into the machine, and is valid while its lists stay
 * as they are.
 */
#ifndef FT_MACHINES_YAML_SECTIONS_H
#define FT_MACHINES_YAML_SECTIONS_H

#include "formats/x86/instruction.h"
#include "machines/yaml_machine.h"

#define FT_SECTION_PATH 32
#define FT_SECTIONS_MAX                                                                            \
    (2U + 4U * 16U + 64U + FT_MIX_COUNT) /* what the schema lets a file have                       \
                                          */

struct ft_yaml_section {
    enum ft_section_kind kind;
    char path[FT_SECTION_PATH]; /* "core", "caches[2]"; entries count from 1 */
    const char *name;           /* of the level or units, "core", "memory"; not of the list */
    struct ft_yaml_numbers *numbers;
    struct ft_yaml_sources *sources;
    struct ft_yaml_level *level; /* NULL: not one */
};

struct ft_yaml_section_list {
    struct ft_yaml_section items[FT_SECTIONS_MAX];
    size_t count;
};

void ft_yaml_sections(struct ft_yaml_machine *yaml, struct ft_yaml_section_list *ret_list);

/* What a section says in words: "replacement", "shared" ... */
struct ft_yaml_choice {
    const char *key;
    const char *const *names; /* the first is the default */
    size_t count;
    size_t offset;     /* of the int in struct ft_yaml_level */
    unsigned sections; /* FT_IN_... */
};
#define FT_YAML_CHOICE_COUNT 7
extern const struct ft_yaml_choice ft_yaml_choices[FT_YAML_CHOICE_COUNT];
int *ft_yaml_choice_of(const struct ft_yaml_section *section, const struct ft_yaml_choice *choice);

#endif
