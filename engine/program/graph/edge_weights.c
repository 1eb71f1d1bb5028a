/*
 * Nodes are visited in reverse postorder, in which all edges but back edges lead forward, so a
 * node's weight is known before those of its edges. Back edges carry no weight: the factor accounts
 * for iterations.
 *
 * In the paper an exit takes "the weight of the loop's head". Here that is what enters the head
 * from outside, before the factor, so that as much leaves a loop as enters it.
 */
#include "engine/program/graph/edge_weights.h"

#include <stdlib.h>

#define TURNS_GUESSED 10.0
#define NONE          UINT32_MAX

struct weighing {
    uint32_t node_count;
    const uint32_t *first_successor, *successors;
    const struct ft_loop_forest *forest;
    uint32_t *order; /* reverse postorder, from the end of the array; `first` is where it begins */
    uint32_t first;
    uint32_t *position;   /* per node: in the order; NONE where it is not reached */
    uint32_t *cursor;     /* per node: next successor to visit */
    uint32_t *stack;      /* of the search */
    double *entered;      /* per node: by edges that lead on */
    uint32_t *exits;      /* per loop: edges that leave it */
    double *loop_entered; /* per loop: what has entered its head */
    double *weights;
};

static void number_nodes(struct weighing *w, uint32_t entry)
{
    uint32_t depth = 0;
    for (uint32_t n = 0; n < w->node_count; n++) {
        w->position[n] = NONE;
        w->cursor[n] = w->first_successor[n];
    }
    w->first = w->node_count;
    w->stack[depth++] = entry;
    w->position[entry] = 0; /* visited; its place comes when it is left */
    while (depth) {
        uint32_t node = w->stack[depth - 1];
        if (w->cursor[node] == w->first_successor[node + 1]) {
            w->position[node] = --w->first;
            w->order[w->first] = node;
            depth--;
            continue;
        }
        uint32_t next = w->successors[w->cursor[node]++];
        if (w->position[next] == NONE) {
            w->position[next] = 0;
            w->stack[depth++] = next;
        }
    }
}

static bool is_in_loop(const struct ft_loop_forest *forest, uint32_t node, uint32_t loop)
{
    uint32_t inner = forest->loop_of_node[node];
    while (inner != FT_NO_LOOP && inner != loop)
        inner = forest->loops[inner].parent;
    return inner == loop;
}

/* The outermost loop that an edge leaves, or FT_NO_LOOP. */
static uint32_t loop_left(const struct ft_loop_forest *forest, uint32_t from, uint32_t to)
{
    uint32_t left = FT_NO_LOOP, loop = forest->loop_of_node[from];
    for (; loop != FT_NO_LOOP && !is_in_loop(forest, to, loop); loop = forest->loops[loop].parent)
        left = loop;
    return left;
}

static void count_exits(struct weighing *w)
{
    const struct ft_loop_forest *forest = w->forest;
    for (uint32_t n = 0; n < w->node_count; n++)
        for (uint32_t s = w->first_successor[n]; s < w->first_successor[n + 1]; s++)
            for (uint32_t loop = forest->loop_of_node[n];
                 loop != FT_NO_LOOP && !is_in_loop(forest, w->successors[s], loop);
                 loop = forest->loops[loop].parent)
                w->exits[loop]++;
}

static double weigh_node(struct weighing *w, uint32_t node)
{
    uint32_t loop = w->forest->loop_of_node[node];
    if (loop == FT_NO_LOOP || w->forest->loops[loop].header != node)
        return w->entered[node];
    w->loop_entered[loop] = w->entered[node];
    return TURNS_GUESSED * w->entered[node];
}

static void weigh_edges(struct weighing *w, uint32_t node)
{
    double rest = weigh_node(w, node);
    uint32_t first = w->first_successor[node], end = w->first_successor[node + 1], others = 0;
    for (uint32_t s = first; s < end; s++) {
        uint32_t left = loop_left(w->forest, node, w->successors[s]);
        others += left == FT_NO_LOOP;
        w->weights[s] = left == FT_NO_LOOP ? 0 : w->loop_entered[left] / w->exits[left];
        rest -= w->weights[s];
    }
    for (uint32_t s = first; s < end; s++) {
        if (rest > 0 && loop_left(w->forest, node, w->successors[s]) == FT_NO_LOOP)
            w->weights[s] = rest / others;
        if (w->position[w->successors[s]] > w->position[node])
            w->entered[w->successors[s]] += w->weights[s];
    }
}

int ft_edge_weights(uint32_t node_count, const uint32_t *first_successor,
                    const uint32_t *successors, uint32_t entry, const struct ft_loop_forest *forest,
                    double *ret_weights, struct ft_diag *diag)
{
    size_t numbers = 4 * (size_t)node_count + forest->loop_count + 1;
    uint32_t *memory = calloc(numbers, sizeof *memory);
    double *entered = calloc(node_count + forest->loop_count + 1, sizeof *entered);
    if (!memory || !entered) {
        free(memory);
        free(entered);
        return ft_fail_memory(diag, "the weights of edges");
    }
    struct weighing w = {.node_count = node_count,
                         .first_successor = first_successor,
                         .successors = successors,
                         .forest = forest,
                         .order = memory,
                         .position = memory + node_count,
                         .cursor = memory + 2 * (size_t)node_count,
                         .stack = memory + 3 * (size_t)node_count,
                         .exits = memory + 4 * (size_t)node_count,
                         .entered = entered,
                         .loop_entered = entered + node_count,
                         .weights = ret_weights};
    for (uint32_t s = 0; s < first_successor[node_count]; s++)
        ret_weights[s] = 0;
    number_nodes(&w, entry);
    count_exits(&w);
    w.entered[entry] = 1;
    for (uint32_t i = w.first; i < node_count; i++)
        weigh_edges(&w, w.order[i]);
    free(memory);
    free(entered);
    return FT_OK;
}
