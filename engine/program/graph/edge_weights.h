/*
 * How often the edges of a routine's flow graph are taken, guessed from its loops alone (Marin &
 * Mellor-Crummey 2004, section 2.2.1): what counters are placed by (formats/x86/edge_counters.h).
 * The entry has weight 1; a node what its incoming edges have, ten times that if a loop begins
 * there; it is divided equally among its outgoing edges. An edge that leaves a loop takes from it
 * what has entered the outermost loop that it leaves, divided by that loop's exits; the others of
 * its node share the rest. Pure, thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_EDGE_WEIGHTS_H
#define FT_ENGINE_PROGRAM_GRAPH_EDGE_WEIGHTS_H

#include "engine/program/graph/loops.h"

/* The graph as in ft_loops_find, with its loops; ret_weights: an entry for each of `successors`.
 * Edges of nodes that the entry does not lead to have weight 0. */
int ft_edge_weights(uint32_t node_count, const uint32_t *first_successor,
                    const uint32_t *successors, uint32_t entry, const struct ft_loop_forest *forest,
                    double *ret_weights, struct ft_diag *diag);

#endif
