/*
 * The target's memory map, as /proc shows it, in ascending order of address.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_MEMORY_MAP_H
#define FT_TRACE_CAPTURE_TARGET_MEMORY_MAP_H

#include "trace-capture/target/target.h"

struct ft_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the mapped file */
    bool is_writable, is_executable, is_shared;
    char *path; /* "" for anonymous memory; "[vdso]" and the like */
};

struct ft_memory_map {
    struct ft_mapping *mappings;
    size_t count, capacity;
};

int ft_memory_map_read(const struct ft_target *target, struct ft_memory_map *ret_map,
                       struct ft_diag *diag);
void ft_memory_map_fini(struct ft_memory_map *map);

#endif
