/*
 * How many iterations lie between two accesses of a loop that touch the same bytes, from the
 * difference of their addresses (Marin & Mellor-Crummey 2004, section 3). Pure, but for the memory
 * of expressions.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_ACCESS_DISTANCES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_ACCESS_DISTANCES_H

#include "engine/program/dependences/loop_accesses.h"

#define FT_DISTANCE_MAX (INT64_C(1) << 31)

/* Iterations after which the access `to` touches bytes that `from` touched; negative: `to` comes
 * first. */
struct ft_access_distances {
    bool meets;       /* they certainly overlap, at all distances from min to max */
    int64_t min, max; /* at most FT_DISTANCE_MAX away */
    bool may_meet;    /* they may overlap at other distances, too */
    bool not_at_zero; /* except in the same iteration, unless that is certain */
};

struct ft_access_distances ft_access_distances(struct ft_value_exprs *exprs,
                                               const struct ft_loop_access *from,
                                               const struct ft_loop_access *to);

#endif
