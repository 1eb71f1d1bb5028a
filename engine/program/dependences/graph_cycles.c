/*
 * The maximum ratio cycle: for a current ratio p / q, edges weigh weight * q - distance * p. A
 * cycle of positive weight, found by Bellman-Ford, has a greater ratio, which becomes the current
 * one; if there is none, the current ratio is the maximum.
 */
#include "engine/program/dependences/graph_cycles.h"

#include <stdlib.h>
#include <string.h>

/* ---- edges by node ---- */

/* Sorts edges by `from`, keeping their order. */
static bool sort_edges(struct ft_cycle_graph *graph)
{
    struct ft_cycle_edge *sorted = malloc((graph->edge_count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t e = 0; e < graph->edge_count; e++)
        graph->first[graph->edges[e].from + 1]++;
    for (uint32_t n = 0; n < graph->node_count; n++)
        graph->first[n + 1] += graph->first[n];
    for (size_t e = 0; e < graph->edge_count; e++)
        sorted[graph->first[graph->edges[e].from]++] = graph->edges[e];
    for (uint32_t n = graph->node_count; n > 0; n--)
        graph->first[n] = graph->first[n - 1];
    graph->first[0] = 0;
    if (graph->edge_count)
        memcpy(graph->edges, sorted, graph->edge_count * sizeof *sorted);
    free(sorted);
    return true;
}

/* ---- components ---- */

struct search {
    struct ft_cycle_graph *graph;
    uint32_t *number, *lowest; /* per node; number 0: not seen */
    uint32_t *open;            /* nodes that have no component yet, in the order they were seen */
    uint32_t *path;
    size_t *next; /* edge, per node */
    uint32_t open_count, seen, named;
};

static void see(struct search *search, uint32_t node, uint32_t *depth)
{
    search->number[node] = search->lowest[node] = ++search->seen;
    search->open[search->open_count++] = node;
    search->next[node] = search->graph->first[node];
    search->path[(*depth)++] = node;
}

static void close_component(struct search *search, uint32_t root)
{
    struct ft_cycle_graph *graph = search->graph;
    uint32_t node;
    graph->first_node[graph->component_count] = search->named;
    do {
        node = search->open[--search->open_count];
        graph->component_of[node] = graph->component_count;
        graph->nodes[search->named++] = node;
    } while (node != root);
    graph->component_count++;
}

static void search_from(struct search *search, uint32_t start)
{
    struct ft_cycle_graph *graph = search->graph;
    uint32_t depth = 0;
    see(search, start, &depth);
    while (depth > 0) {
        uint32_t node = search->path[depth - 1];
        if (search->next[node] < graph->first[node + 1]) {
            uint32_t to = graph->edges[search->next[node]++].to;
            if (search->number[to] == 0)
                see(search, to, &depth);
            else if (graph->component_of[to] == UINT32_MAX &&
                     search->number[to] < search->lowest[node])
                search->lowest[node] = search->number[to];
            continue;
        }
        depth--;
        if (depth > 0 && search->lowest[node] < search->lowest[search->path[depth - 1]])
            search->lowest[search->path[depth - 1]] = search->lowest[node];
        if (search->lowest[node] == search->number[node])
            close_component(search, node);
    }
}

static bool find_components(struct ft_cycle_graph *graph)
{
    size_t count = (size_t)graph->node_count + 1;
    struct search search = {
        .graph = graph,
        .number = calloc(count, sizeof *search.number),
        .lowest = calloc(count, sizeof *search.lowest),
        .open = calloc(count, sizeof *search.open),
        .path = calloc(count, sizeof *search.path),
        .next = calloc(count, sizeof *search.next),
    };
    bool complete = search.number && search.lowest && search.open && search.path && search.next;
    for (uint32_t n = 0; complete && n < graph->node_count; n++)
        if (search.number[n] == 0)
            search_from(&search, n);
    if (complete)
        graph->first_node[graph->component_count] = graph->node_count;
    free(search.number);
    free(search.lowest);
    free(search.open);
    free(search.path);
    free(search.next);
    return complete;
}

bool ft_cycle_graph_make(uint32_t node_count, struct ft_cycle_edge *edges, size_t edge_count,
                         struct ft_cycle_graph *ret_graph)
{
    size_t count = (size_t)node_count + 1;
    struct ft_cycle_graph graph = {
        .node_count = node_count,
        .edges = edges,
        .edge_count = edge_count,
        .first = calloc(count, sizeof *graph.first),
        .component_of = malloc(count * sizeof *graph.component_of),
        .nodes = calloc(count, sizeof *graph.nodes),
        .first_node = calloc(count, sizeof *graph.first_node),
    };
    bool complete = graph.first && graph.component_of && graph.nodes && graph.first_node;
    if (complete)
        memset(graph.component_of, 0xff, count * sizeof *graph.component_of);
    complete = complete && sort_edges(&graph) && find_components(&graph);
    if (complete)
        *ret_graph = graph;
    else
        ft_cycle_graph_fini(&graph);
    return complete;
}

void ft_cycle_graph_fini(struct ft_cycle_graph *graph)
{
    free(graph->first);
    free(graph->component_of);
    free(graph->nodes);
    free(graph->first_node);
    *graph = (struct ft_cycle_graph){0};
}

bool ft_component_is_cyclic(const struct ft_cycle_graph *graph, uint32_t component)
{
    uint32_t node = graph->nodes[graph->first_node[component]];
    if (graph->first_node[component + 1] - graph->first_node[component] > 1)
        return true;
    for (size_t e = graph->first[node]; e < graph->first[node + 1]; e++)
        if (graph->edges[e].to == node)
            return true;
    return false;
}

/* ---- the longest cycle ---- */

struct longest {
    const struct ft_cycle_graph *graph;
    uint32_t component;
    int64_t *potential; /* per node of the graph; of the component's nodes */
    size_t *came_by;    /* per node: the edge that raised it last; SIZE_MAX: none */
    uint32_t *walk;     /* per node: the walk that came by */
    uint64_t weight, distance;
};

/* One pass over the component's edges; false where no node is raised. */
static bool raise_nodes(struct longest *longest)
{
    const struct ft_cycle_graph *graph = longest->graph;
    uint32_t c = longest->component;
    bool raised = false;
    for (uint32_t i = graph->first_node[c]; i < graph->first_node[c + 1]; i++) {
        uint32_t node = graph->nodes[i];
        for (size_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
            const struct ft_cycle_edge *edge = &graph->edges[e];
            if (graph->component_of[edge->to] != c)
                continue;
            int64_t gain = (int64_t)edge->weight * (int64_t)longest->distance -
                           (int64_t)edge->distance * (int64_t)longest->weight;
            if (longest->potential[node] + gain <= longest->potential[edge->to])
                continue;
            longest->potential[edge->to] = longest->potential[node] + gain;
            longest->came_by[edge->to] = e;
            raised = true;
        }
    }
    return raised;
}

/* A node of a cycle that is raised by itself; UINT32_MAX where there is none. Each node is walked
 * from once: the walks that begin at others end where it was. */
static uint32_t find_raised_cycle(struct longest *longest)
{
    const struct ft_cycle_graph *graph = longest->graph;
    const uint32_t *nodes = graph->nodes + graph->first_node[longest->component];
    uint32_t count =
        graph->first_node[longest->component + 1] - graph->first_node[longest->component];
    for (uint32_t i = 0; i < count; i++)
        longest->walk[nodes[i]] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes[i];
        while (longest->walk[node] == UINT32_MAX && longest->came_by[node] != SIZE_MAX) {
            longest->walk[node] = i;
            node = graph->edges[longest->came_by[node]].from;
        }
        if (longest->walk[node] == i)
            return node;
    }
    return UINT32_MAX;
}

/* Whether a cycle of greater ratio was found; *ret_node is on it. */
static bool find_greater(struct longest *longest, uint32_t *ret_node)
{
    const struct ft_cycle_graph *graph = longest->graph;
    uint32_t c = longest->component;
    for (uint32_t i = graph->first_node[c]; i < graph->first_node[c + 1]; i++) {
        longest->potential[graph->nodes[i]] = 0;
        longest->came_by[graph->nodes[i]] = SIZE_MAX;
    }
    while (raise_nodes(longest)) {
        *ret_node = find_raised_cycle(longest);
        if (*ret_node != UINT32_MAX)
            return true;
    }
    return false;
}

static bool take_cycle(struct longest *longest, uint32_t start, struct ft_cycle *cycle)
{
    const struct ft_cycle_graph *graph = longest->graph;
    uint32_t count = 0, node = start;
    longest->weight = longest->distance = 0;
    do {
        const struct ft_cycle_edge *edge = &graph->edges[longest->came_by[node]];
        longest->weight += edge->weight;
        longest->distance += edge->distance;
        node = edge->from;
        count++;
    } while (node != start);
    uint32_t *nodes = realloc(cycle->nodes, count * sizeof *nodes);
    if (!nodes)
        return false;
    cycle->nodes = nodes;
    cycle->node_count = count;
    for (uint32_t i = count; i-- > 0;) {
        node = graph->edges[longest->came_by[node]].from;
        nodes[i] = node;
    }
    return true;
}

bool ft_longest_cycle(const struct ft_cycle_graph *graph, uint32_t component,
                      struct ft_cycle *ret_cycle)
{
    struct longest longest = {
        .graph = graph,
        .component = component,
        .potential = malloc(((size_t)graph->node_count + 1) * sizeof *longest.potential),
        .came_by = malloc(((size_t)graph->node_count + 1) * sizeof *longest.came_by),
        .walk = malloc(((size_t)graph->node_count + 1) * sizeof *longest.walk),
        .distance = 1,
    };
    struct ft_cycle cycle = {0};
    uint32_t node;
    bool complete = longest.potential && longest.came_by && longest.walk;
    while (complete && longest.distance && find_greater(&longest, &node))
        complete = take_cycle(&longest, node, &cycle);
    cycle.weight = longest.weight;
    cycle.distance = longest.distance;
    free(longest.potential);
    free(longest.came_by);
    free(longest.walk);
    if (!complete)
        free(cycle.nodes);
    else
        *ret_cycle = cycle;
    return complete;
}
