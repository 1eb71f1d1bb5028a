/*
 * The blocks of each routine in an order in which definitions come before uses: along forward
 * edges, with each reducible loop contiguous and before what follows it, so that a loop has been
 * analysed when its results are used. Edges against the order lead to headers of reducible loops or
 * to marked blocks. Immutable once made.
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
    bool *entered;   /* per block: from outside its routine, or from an unknown source */
    bool *meets_all; /* per block: it has predecessors against the order or outside the routine, so
                        any place may have changed */
    uint32_t *dominator; /* per block: its immediate dominator, or FT_NO_BLOCK where it meets_all or
                            is entered */
    uint32_t *depth;     /* per loop, from 1 */
    bool *reducible;     /* per loop */
    uint32_t *last_blocks; /* per loop: position of its last block, where it is reducible */
};

int ft_definition_order_make(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                             const struct ft_program_loops *loops,
                             struct ft_definition_order *ret_order, struct ft_diag *diag);
void ft_definition_order_fini(struct ft_definition_order *order);

/* Whether `loop` is `inner` or contains it; FT_NO_LOOP contains all. */
bool ft_loop_holds(const struct ft_program_loops *loops, uint32_t loop, uint32_t inner);

#endif
