/*
 * How many references groups have, by three ways of grouping: none, so that each reference is a
 * group of its own; within a loop of the machine code; and across the loops that were one in the
 * source (Marin & Mellor-Crummey 2005, Fig. 3). Spills are left out, as there. Pure.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_GROUP_SIZES_H
#define FT_ENGINE_PROGRAM_VALUES_GROUP_SIZES_H

#include "engine/program/values/reference_groups.h"

enum ft_grouping {
    FT_UNGROUPED,
    FT_GROUPED_IN_LOOPS,
    FT_GROUPED_ACROSS_LOOPS,
    FT_GROUPING_COUNT,
};
extern const char *const ft_grouping_names[FT_GROUPING_COUNT];

/* Groups of 1 reference, 2 to 3, 4 to 7 ... */
#define FT_GROUP_SIZE_BINS 32

struct ft_group_sizes {
    uint64_t references;
    uint64_t groups[FT_GROUPING_COUNT];
    uint64_t largest[FT_GROUPING_COUNT]; /* references of the largest group */
    uint64_t bins[FT_GROUPING_COUNT][FT_GROUP_SIZE_BINS];
};

/* Of the routines of one module. */
int ft_group_sizes_find(const struct ft_reference_groups *groups,
                        const struct ft_formulas *formulas, const struct ft_routines *routines,
                        uint32_t module, struct ft_group_sizes *ret_sizes, struct ft_diag *diag);

#endif
