/*
 * The blocks of each routine in an order in which definitions come before what uses them: along
 * forward edges, and each reducible loop as a whole before what stands behind it, so that a loop is
 * understood when its results are used. Edges against the order lead to heads of reducible loops,
 * or to blocks that are marked. Immutable once made.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_DEFINITION_ORDER_H
#define FT_ENGINE_PROGRAM_VALUES_DEFINITION_ORDER_H

#include "engine/program/graph/program_loops.h"

struct ft_definition_order {
    uint32_t *blocks;   /* routine r: from routines->items[r].first_block, as many as it has */
    uint32_t *position; /* per block of the graph: its index in `blocks` */
    /* Inside routines: predecessors[first_predecessor[b] .. first_predecessor[b + 1]). */
    uint32_t *first_predecessor;
    uint32_t *predecessors;
    bool *entered;         /* per block: from outside its routine, or from nowhere that is known */
    bool *meets_all;       /* per block: what is known before it comes from edges against the order,
                              or from outside beside others, so that any place may have changed */
    uint32_t *dominator;   /* per block: the last one that all ways to it come through, or
                              FT_NO_BLOCK; none is told where it meets all or is entered */
    uint32_t *depth;       /* per loop, from 1 */
    bool *reducible;       /* per loop */
    uint32_t *last_blocks; /* per loop: position of its last block, where it is reducible */
};

int ft_definition_order_make(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                             const struct ft_program_loops *loops,
                             struct ft_definition_order *ret_order, struct ft_diag *diag);
void ft_definition_order_fini(struct ft_definition_order *order);

/* Whether `loop` is `inner` or around it; FT_NO_LOOP is around all. */
bool ft_loop_holds(const struct ft_program_loops *loops, uint32_t loop, uint32_t inner);

#endif
