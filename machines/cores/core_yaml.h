/*
 * A core file as libcyaml reads it. Private to machines/cores/.
 */
#ifndef FT_MACHINES_CORES_CORE_YAML_H
#define FT_MACHINES_CORES_CORE_YAML_H

#include "formats/base/status.h"

/* 2: what the simulation of a core asks for; 3: chained, renames_memory, commit; 4:
 * vector_forward_cycles; 5: the op cache */
#define FT_CORE_VERSION 6

struct ft_yaml_core_group {
    char *name;
    char **ports;
    unsigned ports_count;
};

struct ft_yaml_core_kind {
    unsigned operations, latency;
    unsigned chained; /* from version 3 on; 0: none */
    char **units;     /* "GROUP", or "GROUP*CYCLES" */
    unsigned units_count;
    char **forms;
    unsigned forms_count;
};

struct ft_yaml_core_file {
    unsigned version;
    char *description;
    char **cpuid, **sources, **fuses;
    unsigned cpuid_count, sources_count, fuses_count;
    double dispatch;
    unsigned fetch, window, load_cycles, vector_load_cycles, forward_cycles, taken_branches;
    /* from version 2 on; else 0 */
    unsigned retire, load_buffer, store_buffer, miss_buffers, page_walks, mispredict_cycles;
    unsigned fuses_accesses;        /* 0 or 1 */
    unsigned renames_memory;        /* 0 or 1; from version 3 on, else 0 */
    unsigned vector_forward_cycles; /* from version 4 on; 0: as forward_cycles */
    unsigned op_cache_window, op_cache_entry, decode_cycles; /* from version 5 on, else 0 */
    unsigned op_cache_entries;                               /* from version 6 on; 0: two */
    unsigned complex_load_cycles;                            /* from version 6 on, else 0 */
    char *commit;                                            /* name of a group; NULL */
    struct ft_yaml_core_group *groups;
    unsigned groups_count;
    struct ft_yaml_core_kind *kinds;
    unsigned kinds_count;
};

/* Given up with ft_yaml_core_file_free. */
int ft_yaml_core_file_read(const char *path, struct ft_yaml_core_file **ret_yaml,
                           struct ft_diag *diag);
void ft_yaml_core_file_free(struct ft_yaml_core_file *yaml);

#endif
