/*
 * Components and longest cycles of random graphs against every simple cycle that they have.
 */
#include "engine/program/dependences/graph_cycles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/tap.h"

#define NODES_MAX 7
#define EDGES_MAX 16
#define GRAPHS    2000

struct reference_paths {
    const struct ft_cycle_edge *edges;
    size_t edge_count;
    bool reaches[NODES_MAX][NODES_MAX];
    bool on_path[NODES_MAX];
    uint64_t weight, distance; /* of the longest cycle through the node that was started from */
    bool found;
};

static void walk(struct reference_paths *expected, uint32_t start, uint32_t at, uint64_t weight,
                 uint64_t distance)
{
    expected->on_path[at] = true;
    for (size_t e = 0; e < expected->edge_count; e++) {
        const struct ft_cycle_edge *edge = &expected->edges[e];
        if (edge->from != at)
            continue;
        uint64_t longer = weight + edge->weight, further = distance + edge->distance;
        if (edge->to == start && longer > 0 &&
            (!expected->found || longer * expected->distance > expected->weight * further)) {
            expected->found = true;
            expected->weight = longer;
            expected->distance = further;
        }
        if (!expected->on_path[edge->to])
            walk(expected, start, edge->to, longer, further);
    }
    expected->on_path[at] = false;
}

static void find_reached(struct reference_paths *expected, uint32_t node_count)
{
    for (size_t e = 0; e < expected->edge_count; e++)
        expected->reaches[expected->edges[e].from][expected->edges[e].to] = true;
    for (uint32_t by = 0; by < node_count; by++)
        for (uint32_t a = 0; a < node_count; a++)
            for (uint32_t b = 0; b < node_count; b++)
                expected->reaches[a][b] |= expected->reaches[a][by] && expected->reaches[by][b];
}

static bool components_agree(const struct ft_cycle_graph *graph,
                             const struct reference_paths *expected)
{
    bool agree = true;
    for (uint32_t a = 0; a < graph->node_count; a++) {
        agree &= ft_component_is_cyclic(graph, graph->component_of[a]) == expected->reaches[a][a];
        for (uint32_t b = 0; b < graph->node_count; b++) {
            bool same = a == b || (expected->reaches[a][b] && expected->reaches[b][a]);
            agree &= same == (graph->component_of[a] == graph->component_of[b]);
            if (!same && expected->reaches[a][b])
                agree &= graph->component_of[a] > graph->component_of[b];
        }
    }
    return agree;
}

/* Whether a cycle is one of edges, of its weight and distance. */
static bool is_cycle(const struct ft_cycle *cycle, const struct reference_paths *expected,
                     size_t at, uint64_t weight, uint64_t distance)
{
    if (at == cycle->node_count)
        return weight == cycle->weight && distance == cycle->distance;
    uint32_t from = cycle->nodes[at], to = cycle->nodes[(at + 1) % cycle->node_count];
    for (size_t e = 0; e < expected->edge_count; e++)
        if (expected->edges[e].from == from && expected->edges[e].to == to &&
            is_cycle(cycle, expected, at + 1, weight + expected->edges[e].weight,
                     distance + expected->edges[e].distance))
            return true;
    return false;
}

static bool cycles_agree(const struct ft_cycle_graph *graph, struct reference_paths *expected)
{
    bool agree = true;
    for (uint32_t c = 0; c < graph->component_count; c++) {
        struct ft_cycle cycle;
        expected->found = false;
        expected->weight = expected->distance = 0;
        for (uint32_t i = graph->first_node[c]; i < graph->first_node[c + 1]; i++)
            walk(expected, graph->nodes[i], graph->nodes[i], 0, 0);
        if (!ft_longest_cycle(graph, c, &cycle))
            return false;
        agree &= expected->found == (cycle.node_count > 0);
        if (expected->found && cycle.node_count)
            agree &= cycle.weight * expected->distance == expected->weight * cycle.distance &&
                     is_cycle(&cycle, expected, 0, 0, 0);
        free(cycle.nodes);
    }
    return agree;
}

int main(void)
{
    uint64_t random = 7, wrong_components = 0, wrong_cycles = 0, cyclic = 0;
    for (unsigned g = 0; g < GRAPHS; g++) {
        struct ft_cycle_edge edges[EDGES_MAX];
        struct ft_cycle_graph graph;
        uint32_t nodes = 1 + (uint32_t)(random_next(&random) % NODES_MAX);
        size_t count = random_next(&random) % EDGES_MAX;
        for (size_t e = 0; e < count; e++) {
            uint32_t from = (uint32_t)(random_next(&random) % nodes);
            uint32_t to = (uint32_t)(random_next(&random) % nodes);
            edges[e] = (struct ft_cycle_edge){from, to, (uint32_t)(random_next(&random) % 4),
                                              (uint32_t)(random_next(&random) % 3) + (from >= to)};
        }
        if (!ft_cycle_graph_make(nodes, edges, count, &graph))
            return 99;
        struct reference_paths expected = {.edges = edges, .edge_count = count};
        find_reached(&expected, nodes);
        wrong_components += !components_agree(&graph, &expected);
        wrong_cycles += !cycles_agree(&graph, &expected);
        for (uint32_t c = 0; c < graph.component_count; c++)
            cyclic += ft_component_is_cyclic(&graph, c);
        ft_cycle_graph_fini(&graph);
    }
    tap_ok(wrong_components == 0,
           "components of %d graphs, %" PRIu64 " of them cyclic; %" PRIu64 " graphs wrong", GRAPHS,
           cyclic, wrong_components);
    tap_ok(wrong_cycles == 0 && cyclic > GRAPHS / 4, "longest cycles; %" PRIu64 " graphs wrong",
           wrong_cycles);
    return tap_plan_done();
}
