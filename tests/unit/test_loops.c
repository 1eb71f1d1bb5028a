/*
 * Loops of known graphs, and of random ones against the definition: the natural loop of a header is
 * what reaches its back edges without passing it, where a back edge goes to a dominator. A graph is
 * written as its edges, "0-1 1-2 2-1"; the expectation lists each loop as header(parent's
 * header):nodes for which it is the innermost, in the order found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/loops.h"
#include "tests/support/tap.h"

#define NODES_MAX 64

struct graph {
    uint32_t node_count;
    uint32_t first_successor[NODES_MAX + 1];
    uint32_t successors[256];
};

static struct graph parse(const char *edges)
{
    struct graph graph = {0};
    struct {
        uint32_t from, to;
    } list[256];
    size_t count = 0;
    for (char *at = (char *)edges; *at;) {
        uint32_t from = (uint32_t)strtoul(at, &at, 10);
        uint32_t to = (uint32_t)strtoul(at + 1, &at, 10); /* behind the '-' */
        list[count].from = from;
        list[count++].to = to;
        if (from >= graph.node_count)
            graph.node_count = from + 1;
        if (to >= graph.node_count)
            graph.node_count = to + 1;
    }
    uint32_t filled = 0;
    for (uint32_t v = 0; v < graph.node_count; v++) {
        graph.first_successor[v] = filled;
        for (size_t i = 0; i < count; i++)
            if (list[i].from == v)
                graph.successors[filled++] = list[i].to;
    }
    graph.first_successor[graph.node_count] = filled;
    return graph;
}

static void describe(const struct graph *graph, const struct ft_loop_forest *forest, char *text,
                     size_t room)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < forest->loop_count; i++) {
        const struct ft_loop *loop = &forest->loops[i];
        length += (size_t)snprintf(text + length, room - length, "%s%u%s(", i ? " " : "",
                                   loop->header, loop->irreducible ? "!" : "");
        if (loop->parent != FT_NO_LOOP)
            length += (size_t)snprintf(text + length, room - length, "%u",
                                       forest->loops[loop->parent].header);
        length += (size_t)snprintf(text + length, room - length, "):");
        bool first = true;
        for (uint32_t v = 0; v < graph->node_count; v++) {
            if (forest->loop_of_node[v] != i)
                continue;
            length += (size_t)snprintf(text + length, room - length, "%s%u", first ? "" : ",", v);
            first = false;
        }
    }
}

static void check(const char *what, const char *edges, const char *expected)
{
    struct graph graph = parse(edges);
    struct ft_loop_forest forest;
    struct ft_diag diag;
    char found[1024];
    if (ft_loops_find(graph.node_count, graph.first_successor, graph.successors, 0, &forest,
                      &diag) != 0) {
        tap_ok(false, "%s: %s", what, diag.message);
        return;
    }
    describe(&graph, &forest, found, sizeof found);
    tap_ok(strcmp(found, expected) == 0, "%s: %s%s%s", what, found,
           strcmp(found, expected) ? ", expected " : "", strcmp(found, expected) ? expected : "");
    for (size_t i = 0; i < forest.loop_count; i++) {
        const struct ft_loop *loop = &forest.loops[i];
        uint32_t depth = loop->parent == FT_NO_LOOP ? 1 : forest.loops[loop->parent].depth + 1;
        if (loop->depth != depth || (loop->parent != FT_NO_LOOP && loop->parent >= i))
            tap_ok(false, "%s: loop %zu has depth %u", what, i, loop->depth);
    }
    ft_loop_forest_fini(&forest);
}

/* reaches[v]: v is reached from the entry without passing `without` (NONE: at all). */
static void reach(const struct graph *graph, uint32_t without, bool *reached)
{
    memset(reached, 0, NODES_MAX * sizeof *reached);
    reached[0] = without != 0;
    for (uint32_t round = 0; round < graph->node_count; round++)
        for (uint32_t v = 0; v < graph->node_count; v++)
            for (uint32_t e = graph->first_successor[v]; e < graph->first_successor[v + 1]; e++)
                if (reached[v] && graph->successors[e] != without)
                    reached[graph->successors[e]] = true;
}

/* body[v]: v is in the natural loop of header; false where header has no back edge. */
static bool natural_loop(const struct graph *graph, uint32_t header,
                         bool dominates[NODES_MAX][NODES_MAX], bool *body)
{
    bool is_header = false;
    memset(body, 0, NODES_MAX * sizeof *body);
    for (uint32_t v = 0; v < graph->node_count; v++)
        for (uint32_t e = graph->first_successor[v]; e < graph->first_successor[v + 1]; e++)
            if (graph->successors[e] == header && dominates[header][v])
                body[v] = is_header = true;
    if (is_header)
        body[header] = true;
    for (uint32_t round = 0; round < graph->node_count; round++)
        for (uint32_t v = 0; v < graph->node_count; v++)
            for (uint32_t e = graph->first_successor[v]; e < graph->first_successor[v + 1]; e++)
                if (body[graph->successors[e]] && graph->successors[e] != header)
                    body[v] = true;
    return is_header;
}

static bool agrees(const struct graph *graph, const struct ft_loop_forest *forest)
{
    static bool dominates[NODES_MAX][NODES_MAX];
    for (uint32_t d = 0; d < graph->node_count; d++) {
        bool reached[NODES_MAX];
        reach(graph, d, reached);
        for (uint32_t v = 0; v < graph->node_count; v++)
            dominates[d][v] = v == d || !reached[v];
    }
    size_t loop_count = 0;
    for (uint32_t header = 0; header < graph->node_count; header++) {
        bool body[NODES_MAX];
        if (!natural_loop(graph, header, dominates, body))
            continue;
        loop_count++;
        uint32_t loop = 0;
        while (loop < forest->loop_count && forest->loops[loop].header != header)
            loop++;
        for (uint32_t v = 0; v < graph->node_count; v++) {
            uint32_t around = forest->loop_of_node[v];
            while (around != FT_NO_LOOP && around != loop)
                around = forest->loops[around].parent;
            if ((around == loop && loop < forest->loop_count) != body[v])
                return false;
        }
    }
    return loop_count == forest->loop_count;
}

/* Random graphs in which all is reachable; those with an irreducible loop are not compared. */
static void check_random(void)
{
    uint32_t state = 12345, compared = 0, wrong = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct graph graph = {.node_count = 2 + round % 14};
        uint32_t filled = 0;
        for (uint32_t v = 0; v < graph.node_count; v++) {
            graph.first_successor[v] = filled;
            if (v + 1 < graph.node_count)
                graph.successors[filled++] = v + 1;
            state = state * 1664525 + 1013904223;
            if ((state >> 16) % 2)
                graph.successors[filled++] = (state >> 20) % graph.node_count;
        }
        graph.first_successor[graph.node_count] = filled;
        struct ft_loop_forest forest;
        if (ft_loops_find(graph.node_count, graph.first_successor, graph.successors, 0, &forest,
                          NULL) != 0)
            continue;
        bool irreducible = false;
        for (size_t i = 0; i < forest.loop_count; i++)
            irreducible |= forest.loops[i].irreducible;
        compared += !irreducible;
        wrong += !irreducible && !agrees(&graph, &forest);
        ft_loop_forest_fini(&forest);
    }
    tap_ok(compared > 1000 && wrong == 0, "random graphs: %u compared, %u wrong", compared, wrong);
}

/* A chain of 100,000 blocks with a loop around each tenth: no recursion, no quadratic work. */
static void check_long(void)
{
    enum { COUNT = 100000 };
    uint32_t *first = malloc((COUNT + 1) * sizeof *first);
    uint32_t *successors = malloc(2 * COUNT * sizeof *successors);
    struct ft_loop_forest forest = {0};
    uint32_t filled = 0;
    for (uint32_t v = 0; v < COUNT; v++) {
        first[v] = filled;
        if (v + 1 < COUNT)
            successors[filled++] = v + 1;
        if (v % 10 == 9)
            successors[filled++] = v - 9;
    }
    first[COUNT] = filled;
    int status = ft_loops_find(COUNT, first, successors, 0, &forest, NULL);
    tap_ok(status == 0 && forest.loop_count == COUNT / 10 && forest.loop_of_node[15] == 1,
           "a long chain: %zu loops", forest.loop_count);
    ft_loop_forest_fini(&forest);
    free(first);
    free(successors);
}

int main(void)
{
    check("no edges", "", "");
    check("a line", "0-1 1-2", "");
    check("a diamond", "0-1 0-2 1-3 2-3", "");
    check("one block on itself", "0-1 1-1 1-2", "1():1");
    check("the entry as header", "0-1 1-0", "0():0,1");
    check("while", "0-1 1-2 2-1 1-3", "1():1,2");
    check("nested", "0-1 1-2 2-3 3-2 3-1 1-4", "1():1 2(1):2,3");
    check("three deep", "0-1 1-2 2-3 3-3 3-2 2-1 1-4", "1():1 2(1):2 3(2):3");
    check("two in one", "0-1 1-2 2-2 2-3 3-3 3-4 4-1 4-5", "1():1,4 2(1):2 3(1):3");
    check("two in a row", "0-1 1-1 1-2 2-2 2-3", "1():1 2():2");
    check("two latches, one loop", "0-1 1-2 1-3 2-1 3-1 1-4", "1():1,2,3");
    check("break and continue", "0-1 1-2 2-3 2-5 3-1 3-4 4-1 1-5", "1():1,2,3,4");
    check("an exit from the inner loop to the outer latch", "0-1 1-2 2-3 3-2 2-4 3-4 4-1 4-5",
          "1():1,4 2(1):2,3");
    check("irreducible: two entries", "0-1 0-2 1-2 2-1 1-3", "1!():1,2");
    check("irreducible inside a loop", "0-1 1-2 1-3 2-3 3-2 2-4 4-1 4-5", "1():1,4 2!(1):2,3");
    check("a loop inside an irreducible one", "0-1 0-2 1-3 3-3 3-2 2-1 1-4", "1!():1,2 3(1):3");
    check("a block that nothing leads to", "0-1 1-1 2-1 1-3", "1():1");
    check("a jump into a loop from nowhere", "0-1 1-2 2-1 3-2", "1!():1,2");
    check("a loop that nothing leads to", "0-1 2-3 3-2", "2():2,3");
    check("overlapping back edges", "0-1 1-2 2-3 3-1 3-2 2-4", "1():1 2(1):2,3");
    check_random();
    check_long();
    return tap_plan_done();
}
