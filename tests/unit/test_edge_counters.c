/*
 * Counters on the edges of flow graphs: the example of the paper (Marin & Mellor-Crummey 2004,
 * figure 2) and its rules for weights; on random graphs the tree against all trees, and the counts
 * that follow from the counters against those of somebody who walked the edges, and stopped
 * anywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/edge_weights.h"
#include "formats/x86/edge_counters.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define NODES_MAX 16
#define EDGES_MAX 64

struct graph {
    uint32_t node_count;
    uint32_t first_successor[NODES_MAX + 1];
    uint32_t successors[EDGES_MAX];
};

/* From edges in order of their first node, "0-1 1-2 2-1". */
static struct graph parse(const char *edges)
{
    struct graph graph = {0};
    uint32_t count = 0, from = 0;
    for (char *at = (char *)edges; *at;) {
        uint32_t next = (uint32_t)strtoul(at, &at, 10);
        for (; from < next; from++)
            graph.first_successor[from + 1] = count;
        uint32_t to = (uint32_t)strtoul(at + 1, &at, 10);
        graph.successors[count++] = to;
        graph.node_count = to >= graph.node_count ? to + 1 : graph.node_count;
        graph.node_count = next >= graph.node_count ? next + 1 : graph.node_count;
    }
    for (; from < graph.node_count; from++)
        graph.first_successor[from + 1] = count;
    return graph;
}

static bool weigh(const struct graph *graph, double *weights)
{
    struct ft_loop_forest forest = {0};
    bool done = ft_loops_find(graph->node_count, graph->first_successor, graph->successors, 0,
                              &forest, NULL) == 0 &&
                ft_edge_weights(graph->node_count, graph->first_successor, graph->successors, 0,
                                &forest, weights, NULL) == 0;
    ft_loop_forest_fini(&forest);
    return done;
}

static void check_weights(const char *what, const char *edges, const char *expected)
{
    struct graph graph = parse(edges);
    double weights[EDGES_MAX];
    char found[512] = "";
    bool done = weigh(&graph, weights);
    for (uint32_t s = 0; done && s < graph.first_successor[graph.node_count]; s++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%g", s ? " " : "",
                 weights[s]);
    tap_ok(strcmp(found, expected) == 0, "%s: %s, as expected: %s", what, found, expected);
}

/* The edges with their weights, and the virtual one from the last node to the entry. */
static size_t make_edges(const struct graph *graph, struct ft_counted_edge *edges)
{
    double weights[EDGES_MAX];
    size_t count = 0;
    weigh(graph, weights);
    edges[count++] = (struct ft_counted_edge){.from = graph->node_count - 1, .is_fixed = true};
    for (uint32_t n = 0; n < graph->node_count; n++)
        for (uint32_t s = graph->first_successor[n]; s < graph->first_successor[n + 1]; s++)
            edges[count++] = (struct ft_counted_edge){
                .from = n, .to = graph->successors[s], .weight = weights[s]};
    return count;
}

/* B1 to B5 are nodes 1 to 5 between ENTRY 0 and EXIT 6: a loop of B2 and B4, left by B2 to B3. The
 * counters: c1 on one edge of the way through, c2 on one of the loop's. */
static void check_paper(void)
{
    enum { C1 = 7, C2 = 1000 };
    struct graph graph = parse("0-1 1-2 2-4 2-3 3-5 4-2 5-6");
    struct ft_counted_edge edges[EDGES_MAX];
    uint64_t flow[7] = {0};
    size_t count = make_edges(&graph, edges), in_loop = 0, outside = 0;
    check_weights("the paper's graph", "0-1 1-2 2-4 2-3 3-5 4-2 5-6", "1 1 9 1 1 9 1");
    bool placed = ft_counters_place(edges, count, graph.node_count, NULL) == 0;
    for (size_t i = 0; i < count; i++) {
        bool is_loops = edges[i].from == 4 || edges[i].to == 4;
        if (!edges[i].has_counter)
            continue;
        in_loop += is_loops;
        outside += !is_loops;
        edges[i].count = is_loops ? C2 : C1;
    }
    tap_ok(placed && in_loop == 1 && outside == 1 && !edges[0].has_counter,
           "figure 2: one counter on the way through, one in the loop, none on the virtual edge");
    bool solved = ft_counters_solve(edges, count, graph.node_count, NULL) == 0;
    for (size_t i = 0; i < count; i++)
        flow[edges[i].to] += edges[i].count;
    tap_ok(solved && flow[1] == C1 && flow[3] == C1 && flow[5] == C1 && flow[4] == C2 &&
               flow[2] == C1 + C2,
           "figure 2: B1 = B3 = B5 = c1, B4 = c2, B2 = c1 + c2");
}

static void check_rules(void)
{
    check_weights("equal shares", "0-1 0-2 1-3 2-3 3-4", "0.5 0.5 0.5 0.5 1");
    check_weights("a nest of two", "0-1 1-2 2-2 2-3 3-1 3-4", "1 10 90 10 9 1");
    /* 2 to 5 leaves both loops at once, with half of what entered the outer one: that has two
     * exits; 3 to 4 leaves the inner one, which has two as well */
    check_weights("an exit from two levels", "0-1 1-2 2-3 2-5 3-2 3-4 4-1 4-5",
                  "1 10 99.5 0.5 94.5 5 4.5 0.5");
    check_weights("two exits of one loop", "0-1 1-2 1-3 2-1 2-3", "1 9.5 0.5 9 0.5");
    check_weights("what is not reached", "0-1 2-1", "1 0");
}

static struct graph random_graph(uint64_t *state, uint32_t node_count, uint32_t out_max)
{
    struct graph graph = {.node_count = node_count};
    uint32_t count = 0;
    for (uint32_t n = 0; n + 1 < node_count; n++) {
        uint32_t out = (uint32_t)random_below(state, out_max);
        graph.successors[count++] = n + 1; /* all is reachable, and leads to the end */
        for (uint32_t i = 0; i < out; i++)
            graph.successors[count++] = (uint32_t)random_below(state, node_count);
        graph.first_successor[n + 1] = count;
    }
    graph.first_successor[node_count] = count;
    return graph;
}

/* The greatest weight of a spanning tree with the fixed edge, among all sets of edges. */
static double greatest_weight(const struct ft_counted_edge *edges, size_t count, uint32_t nodes)
{
    double greatest = -1;
    for (uint64_t set = 1; set < UINT64_C(1) << count; set += 2) {
        struct ft_joined_nodes joined = {0};
        double weight = 0;
        uint32_t joins = 0;
        bool is_tree = (uint32_t)__builtin_popcountll(set) == nodes - 1;
        while (is_tree && joined.count < nodes)
            is_tree = ft_joined_add(&joined);
        for (size_t i = 0; is_tree && i < count; i++) {
            if (!(set >> i & 1))
                continue;
            is_tree = ft_joined_join(&joined, edges[i].from, edges[i].to);
            joins++;
            weight += edges[i].weight;
        }
        if (is_tree && joins == nodes - 1 && weight > greatest)
            greatest = weight;
        ft_joined_fini(&joined);
    }
    return greatest;
}

static void check_trees(void)
{
    uint64_t state = 7;
    unsigned wrong = 0, compared = 0;
    while (compared < 60) {
        struct graph graph = random_graph(&state, 4 + compared % 3, 3);
        struct ft_counted_edge edges[EDGES_MAX];
        size_t count = make_edges(&graph, edges);
        double weight = 0;
        if (count > 14)
            continue;
        bool placed = ft_counters_place(edges, count, graph.node_count, NULL) == 0;
        for (size_t i = 0; i < count; i++)
            weight += edges[i].has_counter ? 0 : edges[i].weight;
        wrong += !placed ||
                 fabs(weight - greatest_weight(edges, count, graph.node_count)) > 1e-9 * weight;
        compared++;
    }
    tap_ok(wrong == 0, "%u random graphs: no tree is heavier, %u wrong", compared, wrong);
}

/* Walks from the entry until the last node, or, as a program that is killed, anywhere; then by a
 * virtual edge back to the entry. Edges behind the graph's own: from each node to the entry. */
static void walk(const struct graph *graph, uint64_t *state, uint64_t *walked, size_t own)
{
    for (unsigned round = 0; round < 20; round++) {
        uint32_t node = 0;
        uint64_t steps_left = random_below(state, 400);
        while (node + 1 < graph->node_count && steps_left--) {
            uint32_t first = graph->first_successor[node];
            uint32_t taken =
                first + (uint32_t)random_below(state, graph->first_successor[node + 1] - first);
            walked[1 + taken]++;
            node = graph->successors[taken];
        }
        walked[node + 1 < graph->node_count ? own + node : 0]++;
    }
}

static void check_walks(void)
{
    uint64_t state = 1;
    unsigned wrong = 0, counters = 0, edges_in_all = 0;
    for (unsigned round = 0; round < 2000; round++) {
        struct graph graph = random_graph(&state, 2 + round % (NODES_MAX - 1), 3);
        struct ft_counted_edge edges[EDGES_MAX + NODES_MAX];
        uint64_t walked[EDGES_MAX + NODES_MAX] = {0};
        size_t own = make_edges(&graph, edges);
        bool placed = ft_counters_place(edges, own, graph.node_count, NULL) == 0;
        size_t count = own;
        for (uint32_t n = 0; n + 1 < graph.node_count; n++) /* whoever ends them counts them */
            edges[count++] = (struct ft_counted_edge){.from = n, .has_counter = true};
        walk(&graph, &state, walked, own);
        for (size_t i = 0; i < count; i++) {
            edges[i].count = edges[i].has_counter ? walked[i] : 12345;
            counters += i < own && edges[i].has_counter;
        }
        edges_in_all += (unsigned)own;
        bool equal = placed && ft_counters_solve(edges, count, graph.node_count, NULL) == 0;
        for (size_t i = 0; i < count; i++)
            equal = equal && edges[i].count == walked[i];
        wrong += !equal;
    }
    tap_ok(wrong == 0, "2000 random graphs, %u counters for %u edges: counts as walked, %u wrong",
           counters, edges_in_all, wrong);
}

/* An edge found one by one has a counter where it closes a cycle: the counts follow as well. */
static void check_one_by_one(void)
{
    uint64_t state = 3;
    unsigned wrong = 0;
    for (unsigned round = 0; round < 500; round++) {
        struct graph graph = random_graph(&state, 2 + round % (NODES_MAX - 1), 3);
        struct ft_counted_edge edges[EDGES_MAX + NODES_MAX];
        uint64_t walked[EDGES_MAX + NODES_MAX] = {0};
        struct ft_joined_nodes joined = {0};
        size_t own = make_edges(&graph, edges), count = own;
        bool equal = true;
        while (equal && joined.count < graph.node_count)
            equal = ft_joined_add(&joined);
        for (size_t i = 0; i < own; i++)
            edges[i].has_counter = !ft_joined_join(&joined, edges[i].from, edges[i].to);
        ft_joined_fini(&joined);
        for (uint32_t n = 0; n + 1 < graph.node_count; n++)
            edges[count++] = (struct ft_counted_edge){.from = n, .has_counter = true};
        walk(&graph, &state, walked, own);
        for (size_t i = 0; i < count; i++)
            edges[i].count = edges[i].has_counter ? walked[i] : 0;
        equal = equal && ft_counters_solve(edges, count, graph.node_count, NULL) == 0;
        for (size_t i = 0; i < count; i++)
            equal = equal && edges[i].count == walked[i];
        wrong += !equal;
    }
    tap_ok(wrong == 0, "500 random graphs, edge by edge: counts as walked, %u wrong", wrong);
}

static void check_refused(void)
{
    struct ft_diag diag = {0};
    struct ft_counted_edge fixed[] = {{.from = 1, .is_fixed = true},
                                      {.from = 0, .to = 1, .is_fixed = true}};
    tap_ok(ft_counters_place(fixed, 2, 2, &diag) == FT_ERROR_UNSUPPORTED,
           "a cycle that cannot be counted: %s", diag.message);
    struct ft_counted_edge cycle[] = {{.from = 0, .to = 1}, {.from = 1, .to = 0}};
    tap_ok(ft_counters_solve(cycle, 2, 2, &diag) == FT_ERROR_DATA, "a cycle without a counter: %s",
           diag.message);
    struct ft_counted_edge uneven[] = {{.from = 0, .to = 1, .has_counter = true, .count = 5},
                                       {.from = 1, .to = 0, .has_counter = true, .count = 4}};
    tap_ok(ft_counters_solve(uneven, 2, 2, &diag) == FT_ERROR_DATA, "an uneven node: %s",
           diag.message);
    struct ft_counted_edge negative[] = {{.from = 0, .to = 1, .has_counter = true, .count = 5},
                                         {.from = 1, .to = 0, .has_counter = true, .count = 6},
                                         {.from = 1, .to = 0}};
    tap_ok(ft_counters_solve(negative, 3, 2, &diag) == FT_ERROR_DATA, "less than never: %s",
           diag.message);
}

int main(void)
{
    check_paper();
    check_rules();
    check_trees();
    check_walks();
    check_one_by_one();
    check_refused();
    return tap_plan_done();
}
