/*
 * Counting how often each edge of a flow graph is taken, by counters on a few of them: those
 * outside of a spanning tree. Where as much flows into each node as out of it, the other counts
 * follow (Knuth & Stevenson 1973; Marin & Mellor-Crummey 2004, section 2.2.1). So that it does, an
 * edge from the exits to the entry belongs to the graph. Nodes are 0 to node_count - 1; several
 * edges may lead from one node to another. Pure, thread safe.
 */
#ifndef FT_FORMATS_X86_EDGE_COUNTERS_H
#define FT_FORMATS_X86_EDGE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* Nodes that are joined by edges without a counter: a forest that grows edge by edge. */
struct ft_joined_nodes {
    uint32_t *parents;
    size_t count, capacity;
};
/* A further node; false without memory. */
bool ft_joined_add(struct ft_joined_nodes *joined);
/* Joins two nodes that were added; false where they are joined already: an edge between them closes
 * a cycle. */
bool ft_joined_join(struct ft_joined_nodes *joined, uint32_t a, uint32_t b);
void ft_joined_fini(struct ft_joined_nodes *joined);

struct ft_counted_edge {
    uint32_t from, to;
    double weight; /* how often it is taken, as far as that can be guessed */
    bool is_fixed; /* it can have no counter: the virtual edge, and what cannot be changed */
    bool has_counter;
    uint64_t count;
};

/* Decides which edges have a counter: those outside of a spanning tree of the greatest weight that
 * begins with the fixed ones (Kruskal; of equal weights the first). FT_ERROR_UNSUPPORTED where
 * fixed edges close a cycle. */
int ft_counters_place(struct ft_counted_edge *edges, size_t edge_count, uint32_t node_count,
                      struct ft_diag *diag);

/* Finds the counts of edges without a counter from those that have one. FT_ERROR_DATA where no
 * counts fit: a cycle has no counter, or what flows into a node does not flow out of it. */
int ft_counters_solve(struct ft_counted_edge *edges, size_t edge_count, uint32_t node_count,
                      struct ft_diag *diag);

#endif
