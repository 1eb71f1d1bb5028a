/*
 * Components and longest cycles of random graphs against every simple cycle that they have.
 */
#include "engine/program/dependences/graph_cycles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random.h"
#include "tests/tap.h"

#define NODES_MAX 7
#define EDGES_MAX 16
#define GRAPHS    2000

struct naive {
    const struct ft_cycle_edge *edges;
    size_t edge_count;
    bool reaches[NODES_MAX][NODES_MAX];
    bool on_path[NODES_MAX];
    uint64_t weight, distance; /* of the longest cycle through the node that was started from */
    bool found;
};

static void walk(struct naive *naive, uint32_t start, uint32_t at, uint64_t weight,
                 uint64_t distance)
{
    naive->on_path[at] = true;
    for (size_t e = 0; e < naive->edge_count; e++) {
        const struct ft_cycle_edge *edge = &naive->edges[e];
        if (edge->from != at)
            continue;
        uint64_t longer = weight + edge->weight, further = distance + edge->distance;
        if (edge->to == start && longer > 0 &&
            (!naive->found || longer * naive->distance > naive->weight * further)) {
            naive->found = true;
            naive->weight = longer;
            naive->distance = further;
        }
        if (!naive->on_path[edge->to])
            walk(naive, start, edge->to, longer, further);
    }
    naive->on_path[at] = false;
}

static void find_reached(struct naive *naive, uint32_t node_count)
{
    for (size_t e = 0; e < naive->edge_count; e++)
        naive->reaches[naive->edges[e].from][naive->edges[e].to] = true;
    for (uint32_t by = 0; by < node_count; by++)
        for (uint32_t a = 0; a < node_count; a++)
            for (uint32_t b = 0; b < node_count; b++)
                naive->reaches[a][b] |= naive->reaches[a][by] && naive->reaches[by][b];
}

static bool components_agree(const struct ft_cycle_graph *graph, const struct naive *naive)
{
    bool agree = true;
    for (uint32_t a = 0; a < graph->node_count; a++) {
        agree &= ft_component_is_cyclic(graph, graph->component_of[a]) == naive->reaches[a][a];
        for (uint32_t b = 0; b < graph->node_count; b++) {
            bool same = a == b || (naive->reaches[a][b] && naive->reaches[b][a]);
            agree &= same == (graph->component_of[a] == graph->component_of[b]);
            if (!same && naive->reaches[a][b])
                agree &= graph->component_of[a] > graph->component_of[b];
        }
    }
    return agree;
}

/* Whether a cycle is one of edges, of its weight and distance. */
static bool is_cycle(const struct ft_cycle *cycle, const struct naive *naive, size_t at,
                     uint64_t weight, uint64_t distance)
{
    if (at == cycle->node_count)
        return weight == cycle->weight && distance == cycle->distance;
    uint32_t from = cycle->nodes[at], to = cycle->nodes[(at + 1) % cycle->node_count];
    for (size_t e = 0; e < naive->edge_count; e++)
        if (naive->edges[e].from == from && naive->edges[e].to == to &&
            is_cycle(cycle, naive, at + 1, weight + naive->edges[e].weight,
                     distance + naive->edges[e].distance))
            return true;
    return false;
}

static bool cycles_agree(const struct ft_cycle_graph *graph, struct naive *naive)
{
    bool agree = true;
    for (uint32_t c = 0; c < graph->component_count; c++) {
        struct ft_cycle cycle;
        naive->found = false;
        naive->weight = naive->distance = 0;
        for (uint32_t i = graph->first_node[c]; i < graph->first_node[c + 1]; i++)
            walk(naive, graph->nodes[i], graph->nodes[i], 0, 0);
        if (!ft_longest_cycle(graph, c, &cycle))
            return false;
        agree &= naive->found == (cycle.node_count > 0);
        if (naive->found && cycle.node_count)
            agree &= cycle.weight * naive->distance == naive->weight * cycle.distance &&
                     is_cycle(&cycle, naive, 0, 0, 0);
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
        struct naive naive = {.edges = edges, .edge_count = count};
        find_reached(&naive, nodes);
        wrong_components += !components_agree(&graph, &naive);
        wrong_cycles += !cycles_agree(&graph, &naive);
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
