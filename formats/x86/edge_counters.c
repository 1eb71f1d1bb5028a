/*
 * Placing: union-find, halving paths; a counter on each edge that would close a cycle.
 *
 * Solving: the edges without a counter are a forest. A node that has only one of them left tells
 * its count, which is what is missing there; then the edge is taken away, and its other node may
 * have one left. Of the edges that a node has left only their number and the exclusive or of their
 * indices are kept: where there is one, that is it.
 */
#include "formats/x86/edge_counters.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/base/array.h"

bool ft_joined_add(struct ft_joined_nodes *joined)
{
    if (!FT_RESERVE(joined->parents, joined->capacity, joined->count + 1))
        return false;
    joined->parents[joined->count] = (uint32_t)joined->count;
    joined->count++;
    return true;
}

static uint32_t find_root(struct ft_joined_nodes *joined, uint32_t node)
{
    uint32_t *parents = joined->parents;
    while (parents[node] != node)
        node = parents[node] = parents[parents[node]];
    return node;
}

bool ft_joined_join(struct ft_joined_nodes *joined, uint32_t a, uint32_t b)
{
    if (a >= joined->count || b >= joined->count)
        return false;
    uint32_t root_a = find_root(joined, a), root_b = find_root(joined, b);
    joined->parents[root_b] = root_a;
    return root_a != root_b;
}

void ft_joined_fini(struct ft_joined_nodes *joined)
{
    free(joined->parents);
    *joined = (struct ft_joined_nodes){0};
}

/* Fixed ones first, then the heaviest. */
static int compare_edges(const void *left, const void *right, void *context)
{
    const struct ft_counted_edge *edges = context;
    size_t l = *(const size_t *)left, r = *(const size_t *)right;
    if (edges[l].is_fixed != edges[r].is_fixed)
        return edges[l].is_fixed ? -1 : 1;
    if (edges[l].weight != edges[r].weight)
        return edges[l].weight > edges[r].weight ? -1 : 1;
    return l < r ? -1 : l > r;
}

static int grow_tree(struct ft_counted_edge *edges, const size_t *order, size_t edge_count,
                     struct ft_joined_nodes *joined, struct ft_diag *diag)
{
    for (size_t i = 0; i < edge_count; i++) {
        struct ft_counted_edge *edge = &edges[order[i]];
        edge->has_counter = !ft_joined_join(joined, edge->from, edge->to);
        if (edge->has_counter && edge->is_fixed)
            return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                           "edges that can have no counter close a cycle, the last of them from "
                           "node %" PRIu32 " to node %" PRIu32 ": they cannot be counted",
                           edge->from, edge->to);
    }
    return FT_OK;
}

int ft_counters_place(struct ft_counted_edge *edges, size_t edge_count, uint32_t node_count,
                      struct ft_diag *diag)
{
    struct ft_joined_nodes joined = {0};
    size_t *order = malloc((edge_count + 1) * sizeof *order);
    bool has_memory = order != NULL;
    while (has_memory && joined.count < node_count)
        has_memory = ft_joined_add(&joined);
    for (size_t i = 0; has_memory && i < edge_count; i++)
        order[i] = i;
    if (has_memory && edge_count)
        qsort_r(order, edge_count, sizeof *order, compare_edges, edges);
    int status = has_memory ? grow_tree(edges, order, edge_count, &joined, diag)
                            : ft_fail_memory(diag, "the counters of edges");
    ft_joined_fini(&joined);
    free(order);
    return status;
}

struct open_node {
    uint64_t
        missing;  /* what flows in by edges whose count is known less what flows out, mod 2^64 */
    size_t edges; /* exclusive or of the indices of the others */
    size_t edge_count; /* of them */
};

static void note_count(struct open_node *nodes, const struct ft_counted_edge *edge)
{
    nodes[edge->to].missing += edge->count;
    nodes[edge->from].missing -= edge->count;
}

static void open_nodes(struct open_node *nodes, const struct ft_counted_edge *edges,
                       size_t edge_count)
{
    for (size_t i = 0; i < edge_count; i++) {
        if (edges[i].has_counter) {
            note_count(nodes, &edges[i]);
            continue;
        }
        nodes[edges[i].from].edges ^= i;
        nodes[edges[i].to].edges ^= i;
        nodes[edges[i].from].edge_count++;
        nodes[edges[i].to].edge_count++;
    }
}

/* Counts the edges that can be told from a node on; gives how many. */
static size_t count_from(struct open_node *nodes, struct ft_counted_edge *edges, uint32_t node)
{
    size_t counted = 0;
    while (nodes[node].edge_count == 1) {
        size_t index = nodes[node].edges;
        struct ft_counted_edge *edge = &edges[index];
        uint32_t other = edge->from == node ? edge->to : edge->from;
        edge->count = edge->from == node ? nodes[node].missing : -nodes[node].missing;
        note_count(nodes, edge);
        nodes[node].edge_count = 0;
        nodes[other].edges ^= index;
        nodes[other].edge_count--;
        counted++;
        node = other;
    }
    return counted;
}

static int check(const struct open_node *nodes, const struct ft_counted_edge *edges,
                 size_t edge_count, uint32_t node_count, struct ft_diag *diag)
{
    for (uint32_t n = 0; n < node_count; n++)
        if (nodes[n].missing)
            return ft_fail(diag, FT_ERROR_DATA,
                           "the counters contradict each other: what enters node %" PRIu32
                           " does not leave it",
                           n);
    for (size_t i = 0; i < edge_count; i++)
        if (edges[i].count > INT64_MAX)
            return ft_fail(diag, FT_ERROR_DATA,
                           "the counters contradict each other: the edge from node %" PRIu32
                           " to node %" PRIu32 " would have been taken less than never",
                           edges[i].from, edges[i].to);
    return FT_OK;
}

int ft_counters_solve(struct ft_counted_edge *edges, size_t edge_count, uint32_t node_count,
                      struct ft_diag *diag)
{
    struct open_node *nodes = calloc(node_count + (size_t)1, sizeof *nodes);
    if (!nodes)
        return ft_fail_memory(diag, "the counts of edges");
    size_t open = 0;
    open_nodes(nodes, edges, edge_count);
    for (size_t i = 0; i < edge_count; i++)
        open += !edges[i].has_counter;
    for (uint32_t n = 0; n < node_count; n++)
        open -= count_from(nodes, edges, n);
    int status = open ? ft_fail(diag, FT_ERROR_DATA,
                                "%zu edges lie on cycles without a counter: their counts are "
                                "unknown",
                                open)
                      : check(nodes, edges, edge_count, node_count, diag);
    free(nodes);
    return status;
}
