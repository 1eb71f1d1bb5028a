/*
 * Static estimate of how often the edges of a routine's flow graph are taken, from its loops alone
 * (Marin & Mellor-Crummey 2004, section 2.2.1): it decides where counters go
 * (formats/x86/edge_counters.h). The entry has weight 1; a node has the sum of its incoming edges,
 * times ten if it is a loop header, and divides it equally among its outgoing edges. An exit edge
 * gets the weight that entered the outermost loop it leaves, divided by that loop's exits; the
 * other edges of its node share the remainder. Pure, thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_EDGE_WEIGHTS_H
#define FT_ENGINE_PROGRAM_GRAPH_EDGE_WEIGHTS_H

#include "engine/program/graph/loops.h"

/* The graph as in ft_loops_find, with its loops; ret_weights: an entry for each of `successors`.
 * Edges of nodes that are unreachable from the entry have weight 0. */
int ft_edge_weights(uint32_t node_count, const uint32_t *first_successor,
                    const uint32_t *successors, uint32_t entry, const struct ft_loop_forest *forest,
                    double *ret_weights, struct ft_diag *diag);

#endif
