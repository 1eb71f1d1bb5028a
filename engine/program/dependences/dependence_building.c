/*
 * Per routine: its values; then for each of its loops nodes, edges through registers and edges
 * through memory. Once all loops of the routine have their edges, the classes of their loads, which
 * depend on the edges of the loops inside.
 */
#include "engine/program/dependences/dependence_building.h"

#include <stdlib.h>

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_program_loops *loops;
    bool pessimistic;
    struct ft_definition_order order;
    struct ft_routine_values values;
    struct ft_dependence_loop loop;
    struct ft_dependences result;
    uint32_t *instruction_node;
};

static int compare_edges(const void *left, const void *right)
{
    const struct ft_dependence *a = left, *b = right;
    const uint32_t of_a[] = {
        a->to,          a->kind,      a->place, a->from_instruction, a->to_instruction,
        a->from_access, a->to_access, a->flags, a->distance};
    const uint32_t of_b[] = {
        b->to,          b->kind,      b->place, b->from_instruction, b->to_instruction,
        b->from_access, b->to_access, b->flags, b->distance};
    for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

/* By node, then each node's. */
static bool sort_edges(struct ft_loop_dependences *loop)
{
    struct ft_dependence *sorted = malloc((loop->edge_count + 1) * sizeof *sorted);
    size_t *next = calloc((size_t)loop->node_count + 2, sizeof *next);
    bool complete = sorted && next;
    for (size_t e = 0; complete && e < loop->edge_count; e++)
        next[loop->edges[e].from + 2]++;
    for (uint32_t n = 0; complete && n < loop->node_count; n++)
        next[n + 2] += next[n + 1];
    for (size_t e = 0; complete && e < loop->edge_count; e++)
        sorted[next[loop->edges[e].from + 1]++] = loop->edges[e];
    for (uint32_t n = 0; complete && n < loop->node_count; n++)
        if (next[n + 1] - next[n] > 1)
            qsort(sorted + next[n], next[n + 1] - next[n], sizeof *sorted, compare_edges);
    free(next);
    if (!complete) {
        free(sorted);
        return false;
    }
    free(loop->edges);
    loop->edges = sorted;
    return true;
}

static int find_in_loop(struct finder *finder, uint32_t loop, struct ft_diag *diag)
{
    struct ft_loop_dependences *result = &finder->result.loops[loop];
    int status = ft_dependence_loop_make(&finder->loop, &finder->values, loop, result, diag);
    if (status == 0 &&
        !(ft_register_dependences_add(&finder->loop) &&
          ft_memory_dependences_add(&finder->loop, finder->pessimistic) && sort_edges(result)))
        status = ft_fail_memory(diag, "the dependences of a loop");
    return status;
}

/* The loops of a routine are first .. end. */
static int find_in_routine(struct finder *finder, const struct ft_routine *routine, uint32_t first,
                           uint32_t end, struct ft_diag *diag)
{
    int status = ft_routine_values_make(&finder->values, finder->graph, routine, finder->loops,
                                        &finder->order, diag);
    for (uint32_t l = first; status == 0 && l < end; l++)
        status = find_in_loop(finder, l, diag);
    for (uint32_t l = first; status == 0 && l < end; l++)
        if (!ft_load_classes_find(finder->graph, finder->loops, l, &finder->result,
                                  finder->instruction_node))
            status = ft_fail_memory(diag, "the loads of a loop");
    return status;
}

int ft_dependences_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        const struct ft_program_loops *loops, uint32_t routine, bool pessimistic,
                        struct ft_dependences *ret_dependences, struct ft_diag *diag)
{
    struct finder finder = {.graph = graph, .loops = loops, .pessimistic = pessimistic};
    int status = ft_definition_order_make(graph, routines, loops, &finder.order, diag);
    finder.result.loops = calloc(loops->count + 1, sizeof *finder.result.loops);
    finder.result.loop_count = loops->count;
    finder.instruction_node =
        malloc((graph->instruction_count + 1) * sizeof *finder.instruction_node);
    if (status == 0 && (!finder.result.loops || !finder.instruction_node))
        status = ft_fail_memory(diag, "the dependences of a program");
    for (uint32_t first = 0, end; status == 0 && first < loops->count; first = end) {
        uint32_t of = loops->items[first].routine;
        for (end = first; end < loops->count && loops->items[end].routine == of;)
            end++;
        if (routine == FT_ALL_ROUTINES || routine == of)
            status = find_in_routine(&finder, &routines->items[of], first, end, diag);
    }
    ft_definition_order_fini(&finder.order);
    ft_routine_values_fini(&finder.values);
    ft_dependence_loop_fini(&finder.loop);
    free(finder.instruction_node);
    if (status == 0)
        *ret_dependences = finder.result;
    else
        ft_dependences_fini(&finder.result);
    return status;
}
