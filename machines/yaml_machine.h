/*
 * A machine file key by key, as libcyaml parses its YAML. Only keys, types of values and names are
 * checked: numbers are still texts (machine_numbers.h). It can be changed value by value, and is
 * written as YAML by yaml_write.h. All texts and arrays are malloc'ed, and owned.
 */
#ifndef FT_MACHINES_YAML_MACHINE_H
#define FT_MACHINES_YAML_MACHINE_H

#include <stddef.h>

#include "formats/base/status.h"
#include "machines/machine_numbers.h"
#include "machines/yaml_file.h"

/* Where a value comes from. NEAREST: from the most similar machine that is shipped, as a stand-in;
 * NONE is of values that name no source, as in personal files. */
enum ft_source_kind {
    FT_SOURCE_VENDOR,
    FT_SOURCE_PUBLISHED,
    FT_SOURCE_MEASURED,
    FT_SOURCE_ESTIMATE,
    FT_SOURCE_NEAREST,
    FT_SOURCE_NONE,
};
extern const char *const ft_source_kind_names[6]; /* "vendor" ... "none" */

struct ft_yaml_source {
    char **figures;
    unsigned figures_count;
    int kind; /* enum ft_source_kind */
    char *text;
};

struct ft_yaml_sources {
    struct ft_yaml_source *list;
    unsigned list_count;
};

/* Of a section, by enum ft_machine_number; NULL: not given. */
struct ft_yaml_numbers {
    char *texts[FT_MACHINE_NUMBER_COUNT];
};

struct ft_yaml_core {
    struct ft_yaml_numbers numbers;
    struct ft_yaml_sources sources;
};

struct ft_yaml_level { /* a cache or a TLB */
    char *name;
    struct ft_yaml_numbers numbers;
    int shared, unified;                                     /* 0 or 1 */
    int replacement, inclusion, write, write_miss, prefetch; /* caches; TLBs: replacement */
    struct ft_yaml_sources sources;
};

struct ft_yaml_memory {
    struct ft_yaml_numbers numbers;
    struct ft_yaml_sources sources;
};

struct ft_yaml_units {
    char *name;
    struct ft_yaml_numbers numbers;
    int *classes;
    unsigned classes_count;
    struct ft_yaml_sources sources;
};

struct ft_yaml_operation {
    int class; /* enum ft_mix_class */
    struct ft_yaml_numbers numbers;
    struct ft_yaml_sources sources;
};

struct ft_yaml_machine {
    char *description;
    char **cpuid; /* processors that it describes: "VENDOR FAMILY" or "VENDOR FAMILY MODEL" */
    unsigned cpuid_count;
    char *core_file; /* by name; NULL: the one for the processor */
    struct ft_yaml_core core;
    struct ft_yaml_level *caches;
    unsigned caches_count;
    struct ft_yaml_memory memory;
    struct ft_yaml_level *tlbs;
    unsigned tlbs_count;
    struct ft_yaml_level *instruction_caches, *instruction_tlbs;
    unsigned instruction_caches_count, instruction_tlbs_count;
    struct ft_yaml_units *units;
    unsigned units_count;
    struct ft_yaml_operation *operations;
    unsigned operations_count;
};

/* FT_ERROR_DATA names the line and the key. What is read is given up with ft_yaml_machine_free. */
int ft_yaml_machine_read(const struct ft_yaml_file *file, struct ft_yaml_machine **ret_yaml,
                         struct ft_diag *diag);
void ft_yaml_machine_free(struct ft_yaml_machine *yaml);

/* Frees what is in a section; for sections that are dropped. */
void ft_yaml_numbers_fini(struct ft_yaml_numbers *numbers);
void ft_yaml_sources_fini(struct ft_yaml_sources *sources);

/* A number in its key's unit; INFINITY: full; 0: it is not given, or is none. */
double ft_yaml_number(const struct ft_yaml_numbers *numbers, enum ft_machine_number key);

/* The source that names a key; NULL: none does. */
const struct ft_yaml_source *ft_yaml_source_of(const struct ft_yaml_sources *sources,
                                               enum ft_machine_number key);
/* Gives a number another text and source; one of FT_SOURCE_NONE is not noted down. */
int ft_yaml_set(struct ft_yaml_numbers *numbers, struct ft_yaml_sources *sources,
                enum ft_machine_number key, const char *text, enum ft_source_kind kind,
                const char *source, struct ft_diag *diag);

#endif
