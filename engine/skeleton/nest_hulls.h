/*
 * Between which addresses each access of a span of a nest stays, and how it moves with the
 * iterations of the loop whose body the span is. Bounds are those of intervals: none is too narrow.
 */
#ifndef FT_ENGINE_SKELETON_NEST_HULLS_H
#define FT_ENGINE_SKELETON_NEST_HULLS_H

#include "formats/skeleton/nest.h"

struct ft_nest_hull {
    const uint32_t *token;
    uint64_t first, last; /* of the addresses in this iteration, modulo 2^64 */
    uint64_t step;        /* by how much they change with each */
};

/* Zero initialised; reused by each find. */
struct ft_nest_hulls {
    struct ft_nest_hull *hulls; /* of accesses that are made, in the order of the nest */
    size_t count, capacity;
    uint64_t *lows, *highs; /* of numbers of bodies */
    size_t number_count, low_capacity, high_capacity;
};
void ft_nest_hulls_fini(struct ft_nest_hulls *hulls);

enum ft_hulls_found {
    FT_HULLS_FOUND,
    FT_HULLS_CHANGE, /* more than addresses changes with the iterations, or they are not bounded */
    FT_HULLS_MEMORY  /* out of it */
};
/* steps: of the span's numbers; NULL: all 0. Irregular loops count as accesses, from 0 to 0. */
enum ft_hulls_found ft_nest_hulls_find(struct ft_nest_hulls *hulls, const struct ft_nest_span *span,
                                       const uint64_t *steps);

#endif
