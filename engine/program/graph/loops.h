/*
 * Loops of a flow graph and their nesting, by Havlak's algorithm ("Nesting of Reducible and
 * Irreducible Loops", TOPLAS 19(4), 1997): natural loops that share a header are one loop; in an
 * irreducible region the node that is reached first is the header. Pure, thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_LOOPS_H
#define FT_ENGINE_PROGRAM_GRAPH_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_NO_LOOP UINT32_MAX

struct ft_loop {
    uint32_t header; /* node */
    uint32_t parent; /* the loop around it, or FT_NO_LOOP */
    uint32_t depth;  /* from 1 */
    bool irreducible;
};

struct ft_loop_forest {
    struct ft_loop *loops; /* outer loops before inner ones */
    size_t loop_count;
    uint32_t *loop_of_node; /* the innermost loop of each node, or FT_NO_LOOP */
};

/* Nodes are 0 .. node_count; successors of n are successors[first_successor[n] .. first_successor[n
 * + 1]). The walk starts at `entry`, then at each node not reached yet, in order. End the forest
 * with ft_loop_forest_fini. */
int ft_loops_find(uint32_t node_count, const uint32_t *first_successor, const uint32_t *successors,
                  uint32_t entry, struct ft_loop_forest *ret_forest, struct ft_diag *diag);
void ft_loop_forest_fini(struct ft_loop_forest *forest);

#endif
