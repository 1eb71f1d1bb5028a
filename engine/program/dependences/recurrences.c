/*
 * An edge weighs the latency of its source node.
 */
#include "engine/program/dependences/recurrences.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/graph_cycles.h"

struct finder {
    const struct ft_loop_dependences *loop;
    bool pessimistic;
    struct ft_cycle_graph graph;
    struct ft_recurrences result;
    size_t node_count, cycle_count; /* of the result */
};

static bool is_taken(const struct finder *finder, const struct ft_dependence *edge)
{
    return edge->kind == FT_DEPENDENCE_FLOW && !(edge->flags & FT_DEPENDENCE_OVERWRITTEN) &&
           (finder->pessimistic || !(edge->flags & FT_DEPENDENCE_ASSUMED));
}

static struct ft_cycle_edge *list_edges(const struct finder *finder, const uint32_t *latencies,
                                        size_t *ret_count)
{
    const struct ft_loop_dependences *loop = finder->loop;
    struct ft_cycle_edge *edges = malloc((loop->edge_count + 1) * sizeof *edges);
    size_t count = 0;
    for (size_t e = 0; edges && e < loop->edge_count; e++) {
        const struct ft_dependence *edge = &loop->edges[e];
        if (is_taken(finder, edge))
            edges[count++] = (struct ft_cycle_edge){
                edge->from, edge->to, latencies ? latencies[edge->from] : 1, edge->distance};
    }
    *ret_count = count;
    return edges;
}

/* Whether the shortest edge from a node to the next one of a cycle is through memory. */
static bool passes_memory(const struct finder *finder, uint32_t from, uint32_t to)
{
    const struct ft_loop_dependences *loop = finder->loop;
    uint32_t min = UINT32_MAX;
    bool memory = false;
    size_t low = 0, high = loop->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ft_dependence *edge = &loop->edges[middle];
        if (edge->from < from || (edge->from == from && edge->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < loop->edge_count && loop->edges[low].from == from && loop->edges[low].to == to;
         low++) {
        const struct ft_dependence *edge = &loop->edges[low];
        if (!is_taken(finder, edge) || edge->distance > min)
            continue;
        memory = edge->place == FT_NO_PLACE && (memory || edge->distance < min);
        min = edge->distance;
    }
    return memory;
}

static int compare_nodes(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static bool add_recurrence(struct finder *finder, uint32_t component)
{
    struct ft_cycle_graph *graph = &finder->graph;
    struct ft_recurrences *result = &finder->result;
    struct ft_cycle cycle = {0};
    uint32_t count = graph->first_node[component + 1] - graph->first_node[component];
    if (!ft_longest_cycle(graph, component, &cycle))
        return false;
    struct ft_recurrence *added = &result->items[result->count++];
    *added = (struct ft_recurrence){.first_node = (uint32_t)finder->node_count,
                                    .node_count = count,
                                    .cycle_latency = cycle.weight,
                                    .cycle_distance = cycle.distance,
                                    .first_of_cycle = (uint32_t)finder->cycle_count,
                                    .cycle_nodes = cycle.node_count};
    memcpy(result->nodes + finder->node_count, graph->nodes + graph->first_node[component],
           count * sizeof *result->nodes);
    qsort(result->nodes + finder->node_count, count, sizeof *result->nodes, compare_nodes);
    finder->node_count += count;
    for (uint32_t i = 0; i < cycle.node_count; i++) {
        uint32_t next = cycle.nodes[i + 1 < cycle.node_count ? i + 1 : 0];
        added->through_memory |= passes_memory(finder, cycle.nodes[i], next);
        result->cycle[finder->cycle_count++] = cycle.nodes[i];
    }
    free(cycle.nodes);
    return true;
}

/* By the latency of an iteration, falling; then by the first node. */
static int compare_recurrences(const void *left, const void *right)
{
    const struct ft_recurrence *a = left, *b = right;
    uint64_t of_a = a->cycle_latency * b->cycle_distance;
    uint64_t of_b = b->cycle_latency * a->cycle_distance;
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return (a->first_node > b->first_node) - (a->first_node < b->first_node);
}

int ft_recurrences_find(const struct ft_loop_dependences *loop, bool pessimistic,
                        const uint32_t *latencies, struct ft_recurrences *ret_recurrences,
                        struct ft_diag *diag)
{
    struct finder finder = {.loop = loop, .pessimistic = pessimistic};
    size_t count = (size_t)loop->node_count + 1, edge_count;
    struct ft_cycle_edge *edges = list_edges(&finder, latencies, &edge_count);
    finder.result.items = calloc(count, sizeof *finder.result.items);
    finder.result.nodes = calloc(count, sizeof *finder.result.nodes);
    finder.result.cycle = calloc(count, sizeof *finder.result.cycle);
    bool complete = edges && finder.result.items && finder.result.nodes && finder.result.cycle &&
                    ft_cycle_graph_make(loop->node_count, edges, edge_count, &finder.graph);
    for (uint32_t c = finder.graph.component_count; complete && c-- > 0;)
        if (ft_component_is_cyclic(&finder.graph, c))
            complete = add_recurrence(&finder, c);
    ft_cycle_graph_fini(&finder.graph);
    free(edges);
    if (!complete) {
        ft_recurrences_fini(&finder.result);
        return ft_fail_memory(diag, "the recurrences of a loop");
    }
    if (finder.result.count)
        qsort(finder.result.items, finder.result.count, sizeof *finder.result.items,
              compare_recurrences);
    *ret_recurrences = finder.result;
    return FT_OK;
}

void ft_recurrences_fini(struct ft_recurrences *recurrences)
{
    free(recurrences->items);
    free(recurrences->nodes);
    free(recurrences->cycle);
    *recurrences = (struct ft_recurrences){0};
}
