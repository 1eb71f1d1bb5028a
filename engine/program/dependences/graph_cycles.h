/*
 * Cycles of a graph whose edges have weights and distances: strongly connected components (Tarjan,
 * SIAM J. Comput. 1(2), 1972), and within a component the cycle of maximum weight per distance.
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
    /* Components, in reverse topological order: edges lead to the same or a lower number. */
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
    uint64_t weight, distance; /* distance 0: some cycle has distance 0 and positive weight */
    uint32_t *nodes;           /* in order; the caller frees them */
    uint32_t node_count;       /* 0: no cycle has weight */
};
bool ft_longest_cycle(const struct ft_cycle_graph *graph, uint32_t component,
                      struct ft_cycle *ret_cycle);

#endif
