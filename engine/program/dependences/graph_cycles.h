/*
 * Cycles of a graph whose edges have weights and distances: strongly connected components (Tarjan,
 * SIAM J. Comput. 1(2), 1972), and of one the cycle with the greatest weight for its distance.
 * Pure, thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_GRAPH_CYCLES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_GRAPH_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_cycle_edge {
    uint32_t from, to;
    uint32_t weight, distance;
};

struct ft_cycle_graph {
    uint32_t node_count;
    struct ft_cycle_edge *edges; /* the caller's, sorted by `from` when the graph is made */
    size_t edge_count;
    size_t *first; /* per node, and the end: its edges */
    /* Components, numbered so that edges lead to the same or a lower one. */
    uint32_t *component_of; /* per node */
    uint32_t component_count;
    uint32_t *nodes;      /* component by component */
    uint32_t *first_node; /* per component, and the end */
};

/* False without memory. */
bool ft_cycle_graph_make(uint32_t node_count, struct ft_cycle_edge *edges, size_t edge_count,
                         struct ft_cycle_graph *ret_graph);
void ft_cycle_graph_fini(struct ft_cycle_graph *graph);

bool ft_component_is_cyclic(const struct ft_cycle_graph *graph, uint32_t component);

struct ft_cycle {
    uint64_t weight, distance; /* distance 0: there is a cycle of distance 0 and some weight */
    uint32_t *nodes;           /* in order; the caller frees them */
    uint32_t node_count;       /* 0: there is no cycle with a weight */
};
bool ft_longest_cycle(const struct ft_cycle_graph *graph, uint32_t component,
                      struct ft_cycle *ret_cycle);

#endif
