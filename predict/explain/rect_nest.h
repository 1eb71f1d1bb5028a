/*
 * A part of a nest that is a rectangular loop nest: loops inside one another, each with one trip
 * count whatever the others do, and accesses that move by a constant stride in each of the loops
 * around them. Such a nest may be run in another order. Plain data, owned.
 */
#ifndef FT_PREDICT_EXPLAIN_RECT_NEST_H
#define FT_PREDICT_EXPLAIN_RECT_NEST_H

#include "formats/skeleton/nest.h"

#define FT_RECT_LOOPS_MAX    6U
#define FT_RECT_ACCESSES_MAX 256U

struct ft_rect_access {
    uint32_t reference;
    uint64_t place; /* in the first iterations */
    int64_t strides[FT_RECT_LOOPS_MAX];
    unsigned depth; /* loops around it: the first so many */
    bool is_behind; /* the loop that is inside these; else it is before it */
};

struct ft_rect_nest {
    uint32_t loops[FT_RECT_LOOPS_MAX]; /* their ids, the outermost first */
    uint64_t iterations[FT_RECT_LOOPS_MAX];
    unsigned loop_count;
    struct ft_rect_access *accesses; /* in their order */
    size_t access_count, capacity;
};

/* Of a REPEAT element, the iterations of a loop, with its numbers: in the first iteration of what
 * is around it, or by how much they change there (iterations and strides are then 0, where it is a
 * rectangular nest that moves). False in *ret_is_one, and nothing to be freed, where it is no such
 * nest. */
int ft_rect_nest_read(uint32_t loop, const uint32_t *tokens, const uint64_t *numbers,
                      struct ft_rect_nest *ret_nest, bool *ret_is_one, struct ft_diag *diag);
void ft_rect_nest_fini(struct ft_rect_nest *nest);

#endif
