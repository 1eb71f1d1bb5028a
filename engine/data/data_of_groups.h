/*
 * Which data each group of references touches (docs/data.md), by names that carry over to another
 * build of the program: variables, allocation sites, stack frames, data of modules without a
 * symbol. Owns its memory.
 */
#ifndef FT_ENGINE_DATA_DATA_OF_GROUPS_H
#define FT_ENGINE_DATA_DATA_OF_GROUPS_H

#include "engine/data/data_objects.h"
#include "formats/base/progress.h"

struct ft_data_of_groups {
    char **names; /* of objects: "variable counts", "heap malloc: main (io.c:12)" */
    size_t name_count;
    uint32_t *first;   /* [group], and the end: index into objects */
    uint32_t *objects; /* index into names, most accesses first: objects with at least a tenth of
                          the group's accesses; unknown data is left out */
};

#define FT_NO_DATA_GROUP UINT32_MAX

/* Reads the trace once. group_of: of each reference of the trace, or FT_NO_DATA_GROUP. */
int ft_data_of_groups_make(struct ft_trace *trace, const uint32_t *group_of, size_t reference_count,
                           uint32_t group_count, struct ft_progress *progress,
                           struct ft_data_of_groups *ret_data, struct ft_diag *diag);
/* From the accesses of groups to objects, in any order (FT_UNKNOWN_DATA: to unknown data). The
 * caller adds the names; weights are reordered. False when out of memory: call fini then as
 * well. */
#define FT_UNKNOWN_DATA UINT32_MAX
struct ft_data_weight {
    uint32_t group, object;
    uint64_t accesses;
};
bool ft_data_of_groups_list(struct ft_data_of_groups *data, struct ft_data_weight *weights,
                            size_t count, uint32_t group_count);
void ft_data_of_groups_fini(struct ft_data_of_groups *data);

#endif
