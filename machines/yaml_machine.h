/*
 * A machine file key by key, as libcyaml parses its YAML. Only keys, types of values and names are
 * checked. Private to machines/.
 */
#ifndef FT_MACHINES_YAML_MACHINE_H
#define FT_MACHINES_YAML_MACHINE_H

#include <stdint.h>

#include "formats/base/status.h"

struct ft_yaml_source {
    char **figures;
    unsigned figures_count;
    int kind; /* required, not used: for the reader of the file */
    char *text;
};

struct ft_yaml_sources {
    struct ft_yaml_source *list;
    unsigned list_count;
};

struct ft_yaml_core {
    double clock_ghz, issue_width;
    struct ft_yaml_sources sources;
};

struct ft_yaml_level { /* a cache or a TLB */
    char *name;
    char *capacity, *line; /* caches */
    uint64_t entries;      /* TLBs */
    char *page;
    char *ways; /* a number or "full" */
    double latency_cycles, exposed_share;
    int shared, unified; /* 0 or 1 */
    uint64_t shared_by;
    int replacement, inclusion, write, write_miss, prefetch; /* caches; TLBs: replacement */
    uint32_t prefetch_lines;
    struct ft_yaml_sources sources;
};

struct ft_yaml_memory {
    double latency_cycles, dirty_latency_cycles;
    struct ft_yaml_sources sources;
};

struct ft_yaml_units {
    char *name;
    double count, repeat_cycles; /* repeat 0: 1 */
    int *classes;
    unsigned classes_count;
    struct ft_yaml_sources sources;
};

struct ft_yaml_machine {
    char *description;
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
};

/* FT_ERROR_DATA names the line and the key. What is read is given up with ft_yaml_machine_free. */
int ft_yaml_machine_read(const char *path, struct ft_yaml_machine **ret_yaml, struct ft_diag *diag);
void ft_yaml_machine_free(struct ft_yaml_machine *yaml);

#endif
