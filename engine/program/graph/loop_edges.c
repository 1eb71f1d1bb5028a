/*
 * Each edge between blocks is an exit edge of the loops around its source alone, an entry edge of
 * those around its target alone, and a back edge of the loop whose header it leads to, if that is
 * around both. Executions of a block that no edge accounts for returned from the routine or did not
 * come back from a call; calls of a routine that begins with a loop enter that loop.
 */
#include "engine/program/graph/loop_edges.h"

#include <stdlib.h>

#include "formats/base/array.h"

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    const struct ft_program_loops *loops;
    const struct ft_block_exits *exits;
    struct ft_loop_edges edges;
    size_t count, capacity;
};

static bool is_around(const struct ft_program_loops *loops, uint32_t outer, uint32_t block)
{
    uint32_t loop = block == FT_NO_BLOCK ? FT_NO_LOOP : loops->of_block[block];
    while (loop != FT_NO_LOOP && loop != outer)
        loop = loops->items[loop].parent;
    return loop == outer;
}

static bool add_edge(struct finder *finder, struct ft_loop_edge edge)
{
    if (!FT_RESERVE(finder->edges.items, finder->capacity, finder->count + 1))
        return false;
    finder->edges.items[finder->count++] = edge;
    return true;
}

/* One of the ends may be outside of the routine: FT_NO_BLOCK. */
static bool add_edges(struct finder *finder, uint32_t from, uint32_t to, uint64_t count)
{
    const struct ft_program_loops *loops = finder->loops;
    struct ft_loop_edge edge = {.from = from, .to = to, .count = count};
    uint32_t loop = from == FT_NO_BLOCK ? FT_NO_LOOP : loops->of_block[from];
    for (edge.kind = FT_LOOP_EXIT; loop != FT_NO_LOOP; loop = loops->items[loop].parent) {
        edge.loop = loop;
        if (!is_around(loops, loop, to) && !add_edge(finder, edge))
            return false;
    }
    loop = to == FT_NO_BLOCK ? FT_NO_LOOP : loops->of_block[to];
    for (; loop != FT_NO_LOOP; loop = loops->items[loop].parent) {
        const bool stays = is_around(loops, loop, from);
        edge.loop = loop;
        edge.kind = stays ? FT_LOOP_BACK : FT_LOOP_ENTRY;
        if ((!stays || loops->items[loop].header == to) && !add_edge(finder, edge))
            return false;
    }
    return true;
}

static bool add_block(struct finder *finder, uint32_t block)
{
    const uint32_t routine = finder->routines->of_block[block];
    uint64_t left = finder->graph->blocks[block].execution_count;
    for (uint32_t e = finder->exits->first[block]; e < finder->exits->first[block + 1]; e++) {
        const struct ft_block_exit *exit = &finder->exits->items[e];
        bool inside = exit->to != FT_NO_BLOCK && finder->routines->of_block[exit->to] == routine;
        left -= exit->count < left ? exit->count : left;
        if (!add_edges(finder, block, inside ? exit->to : FT_NO_BLOCK, exit->count))
            return false;
    }
    return left == 0 || add_edges(finder, block, FT_NO_BLOCK, left);
}

/* Calls of routines and of their parts, also by those themselves. */
static bool add_calls(struct finder *finder)
{
    const struct ft_flow_graph *graph = finder->graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct ft_block_edge *edge = &graph->edges[i];
        uint8_t flow = ft_flow_last_instruction(graph, edge->from)->flow;
        bool call = (flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT) &&
                    graph->blocks[edge->to].call_before != edge->from;
        bool elsewhere =
            finder->routines->of_block[edge->from] != finder->routines->of_block[edge->to] &&
            !ft_edge_comes_back(graph, finder->routines, edge);
        if ((call || elsewhere) && !add_edges(finder, FT_NO_BLOCK, edge->to, edge->count))
            return false;
    }
    return true;
}

static int compare_edges(const void *left, const void *right)
{
    const struct ft_loop_edge *a = left, *b = right;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Sorts the edges and adds up those between the same ends. */
static void merge_edges(struct finder *finder)
{
    struct ft_loop_edge *items = finder->edges.items;
    size_t kept = 0;
    if (finder->count)
        qsort(items, finder->count, sizeof *items, compare_edges);
    for (size_t i = 0; i < finder->count; i++)
        if (kept && compare_edges(&items[kept - 1], &items[i]) == 0)
            items[kept - 1].count += items[i].count;
        else
            items[kept++] = items[i];
    finder->count = kept;
}

static uint32_t preheader_of(const struct finder *finder, uint32_t loop)
{
    const struct ft_loop_edges *edges = &finder->edges;
    uint32_t found = FT_NO_BLOCK;
    for (uint32_t i = edges->first[loop]; i < edges->first[loop + 1]; i++) {
        const struct ft_loop_edge *edge = &edges->items[i];
        if (edge->kind != FT_LOOP_ENTRY)
            continue;
        if (found != FT_NO_BLOCK || edge->from == FT_NO_BLOCK ||
            edge->to != finder->loops->items[loop].header)
            return FT_NO_BLOCK;
        found = edge->from;
    }
    bool alone =
        found != FT_NO_BLOCK && finder->exits->first[found + 1] == finder->exits->first[found] + 1;
    return alone ? found : FT_NO_BLOCK;
}

static bool find(struct finder *finder)
{
    for (uint32_t b = 0; b < finder->graph->block_count; b++)
        if (!add_block(finder, b))
            return false;
    if (!add_calls(finder))
        return false;
    merge_edges(finder);
    for (size_t i = 0; i < finder->count; i++)
        finder->edges.first[finder->edges.items[i].loop + 1]++;
    for (size_t l = 0; l < finder->loops->count; l++)
        finder->edges.first[l + 1] += finder->edges.first[l];
    for (uint32_t l = 0; l < finder->loops->count; l++)
        finder->edges.preheader[l] = preheader_of(finder, l);
    return true;
}

int ft_loop_edges_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                       const struct ft_program_loops *loops, const struct ft_block_exits *exits,
                       struct ft_loop_edges *ret_edges, struct ft_diag *diag)
{
    struct finder finder = {
        .graph = graph,
        .routines = routines,
        .loops = loops,
        .exits = exits,
        .edges.first = calloc(loops->count + 2, sizeof *finder.edges.first),
        .edges.preheader = calloc(loops->count + 1, sizeof *finder.edges.preheader),
    };
    if (!finder.edges.first || !finder.edges.preheader || !find(&finder)) {
        ft_loop_edges_fini(&finder.edges);
        return ft_fail_memory(diag, "the edges of loops");
    }
    *ret_edges = finder.edges;
    return FT_OK;
}

void ft_loop_edges_fini(struct ft_loop_edges *edges)
{
    free(edges->items);
    free(edges->first);
    free(edges->preheader);
    *edges = (struct ft_loop_edges){0};
}
