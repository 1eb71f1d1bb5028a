/*
 * A map from disjoint address intervals (heap blocks, mappings, modules) to numbers. Inserting an
 * interval removes whatever it overlaps from the others. One thread at a time.
 */
#ifndef FT_ENGINE_DATA_INTERVAL_MAP_H
#define FT_ENGINE_DATA_INTERVAL_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_NO_INTERVAL UINT32_MAX

struct ft_interval {
    uint64_t start, end;
    uint32_t value; /* FT_NO_INTERVAL: a gap */
};

struct ft_interval_row; /* consecutive intervals */
struct ft_interval_map {
    struct ft_interval_row **rows;
    uint64_t *firsts; /* [row]: start of its first interval */
    size_t row_count, row_capacity, first_capacity;
};

void ft_interval_map_fini(struct ft_interval_map *map);

/* The interval that holds an address, or the gap; the outermost gaps start at 0 and end at
 * UINT64_MAX. */
struct ft_interval ft_interval_map_find(const struct ft_interval_map *map, uint64_t address);
/* start < end. */
int ft_interval_map_put(struct ft_interval_map *map, uint64_t start, uint64_t end, uint32_t value,
                        struct ft_diag *diag);
/* Removes [start, end). */
int ft_interval_map_cut(struct ft_interval_map *map, uint64_t start, uint64_t end,
                        struct ft_diag *diag);

#endif
