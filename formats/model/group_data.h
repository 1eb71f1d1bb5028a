/*
 * Which data the groups of a model touched at the largest training size, where its histograms were
 * kept by data (`replay --data`, docs/data.md): variables, allocation sites, frames, each with at
 * least a tenth of the group's accesses. Shared by a model and its replicas. Owns its memory.
 */
#ifndef FT_FORMATS_MODEL_GROUP_DATA_H
#define FT_FORMATS_MODEL_GROUP_DATA_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_named_data {
    char *kind; /* "variable", "heap" ... */
    char *name; /* "grid", "malloc: main (io.c:12)" */
};

struct ft_touched_data {
    uint32_t group, object; /* index into objects */
};

struct ft_group_data {
    struct ft_named_data *objects;
    size_t object_count;
    struct ft_touched_data *touched; /* by group, most accesses first; none: nothing is known */
    size_t touched_count;
};

void ft_group_data_fini(struct ft_group_data *data);

/* The first object of a group in `touched`, and how many it has. */
size_t ft_group_data_of(const struct ft_group_data *data, size_t group, size_t *ret_count);

/* Forgets groups; the others close up. kept: [group]. */
void ft_group_data_keep(struct ft_group_data *data, const bool *kept);

/* The datasets `data_objects` and `group_data` of a model, absent if nothing is known. */
int ft_group_data_write(hid_t model, const struct ft_group_data *data, struct ft_diag *diag);
int ft_group_data_read(hid_t model, size_t group_count, struct ft_group_data *ret_data,
                       struct ft_diag *diag);

#endif
