/*
 * How many iterations lie between two accesses of a loop that touch the same bytes, from the
 * difference of their addresses (Marin & Mellor-Crummey 2004, section 3). Pure, but for the memory
 * of expressions.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_ACCESS_DISTANCES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_ACCESS_DISTANCES_H

#include "engine/program/dependences/loop_accesses.h"

#define FT_DISTANCE_MAX (INT64_C(1) << 31)

/* Iterations from the access `from` to the access `to`, which touches bytes of it so much later,
 * negative: before it. */
struct ft_access_distances {
    bool meets;       /* with certainty, at all distances from least to most */
    int64_t min, max; /* at most FT_DISTANCE_MAX away */
    bool may_meet;    /* at other distances it may, too */
    bool not_at_zero; /* but in the same iteration only if that is certain */
};

struct ft_access_distances ft_access_distances(struct ft_value_exprs *exprs,
                                               const struct ft_loop_access *from,
                                               const struct ft_loop_access *to);

#endif
