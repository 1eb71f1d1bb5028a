/*
 * Which data groups of references touch (docs/data.md), by names that another build of the program
 * has too: variables, allocation sites, stack frames, what modules have without a name. Owns
 * its memory.
 */
#ifndef FT_ENGINE_DATA_DATA_OF_GROUPS_H
#define FT_ENGINE_DATA_DATA_OF_GROUPS_H

#include "engine/data/data_objects.h"
#include "formats/base/progress.h"

struct ft_data_of_groups {
    char **names; /* of objects: "variable counts", "heap malloc: main (io.c:12)" */
    size_t name_count;
    uint32_t *first;   /* [group], and the end: places in objects */
    uint32_t *objects; /* places in names, most accesses first: those that have at least a tenth of
                          the group's; what is unknown is left out */
};

#define FT_NO_DATA_GROUP UINT32_MAX

/* Reads the trace once. group_of: of each reference of the trace, or FT_NO_DATA_GROUP. */
int ft_data_of_groups_make(struct ft_trace *trace, const uint32_t *group_of, size_t reference_count,
                           uint32_t group_count, struct ft_progress *progress,
                           struct ft_data_of_groups *ret_data, struct ft_diag *diag);
/* From what groups do with objects, in any order, FT_UNKNOWN_DATA where it is none; names are the
 * caller's to add. weights are changed. False without memory: the data is to be given to fini. */
#define FT_UNKNOWN_DATA UINT32_MAX
struct ft_data_weight {
    uint32_t group, object;
    uint64_t accesses;
};
bool ft_data_of_groups_list(struct ft_data_of_groups *data, struct ft_data_weight *weights,
                            size_t count, uint32_t group_count);
void ft_data_of_groups_fini(struct ft_data_of_groups *data);

#endif
