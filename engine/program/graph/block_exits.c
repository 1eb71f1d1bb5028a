/*
 * First the executed edges of a block; then the other exits of its last instruction, with count 0;
 * calls get their returns from the edges that returns make.
 */
#include "engine/program/graph/block_exits.h"

#include <stdlib.h>

#include "formats/base/array.h"

const char *const ft_exit_kind_names[] = {"next", "taken", "indirect", "returned", "tail_call"};

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    struct ft_block_exits exits;
    size_t count, capacity;
    uint64_t *returned; /* per block: how often a call came back to it */
};

static bool is_call(uint8_t flow)
{
    return flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT;
}

static bool leaves_routine(uint8_t flow)
{
    return is_call(flow) || flow == FT_FLOW_RETURN || flow == FT_FLOW_INTERRUPT_RETURN ||
           flow == FT_FLOW_UNKNOWN;
}

static void count_returned(struct finder *finder)
{
    const struct ft_flow_graph *graph = finder->graph;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct ft_block_edge *edge = &graph->edges[i];
        uint8_t flow = ft_flow_last_instruction(graph, edge->from)->flow;
        bool calls_next = is_call(flow) && graph->blocks[edge->to].call_before == edge->from;
        if (calls_next || ft_edge_comes_back(graph, finder->routines, edge))
            finder->returned[edge->to] += edge->count;
    }
}

static bool add_exit(struct finder *finder, struct ft_block_exit exit)
{
    if (!FT_RESERVE(finder->exits.items, finder->capacity, finder->count + 1))
        return false;
    finder->exits.items[finder->count++] = exit;
    return true;
}

static uint8_t kind_of(const struct finder *finder, uint32_t from, uint32_t to)
{
    const struct ft_flow_graph *graph = finder->graph;
    const struct ft_instruction *last = ft_flow_last_instruction(graph, from);
    if (finder->routines->of_block[from] != finder->routines->of_block[to])
        return FT_EXIT_TAIL_CALL;
    if (last->flow == FT_FLOW_JUMP_INDIRECT)
        return FT_EXIT_INDIRECT;
    bool has_target = last->flow == FT_FLOW_BRANCH || last->flow == FT_FLOW_JUMP;
    return has_target && graph->blocks[to].pc == last->target ? FT_EXIT_TAKEN : FT_EXIT_NEXT;
}

/* A way that the code has: nothing where it was taken and is there already. */
static bool add_untaken(struct finder *finder, uint32_t block, uint64_t pc, uint8_t kind)
{
    for (size_t i = finder->exits.first[block]; i < finder->count; i++)
        if (finder->exits.items[i].pc == pc)
            return true;
    uint32_t to = ft_flow_graph_block_at(finder->graph, pc, 0);
    if (to != FT_NO_BLOCK && finder->graph->blocks[to].pc != pc)
        to = FT_NO_BLOCK;
    if (to != FT_NO_BLOCK && kind != FT_EXIT_NEXT)
        kind = kind_of(finder, block, to);
    return add_exit(finder, (struct ft_block_exit){.pc = pc, .to = to, .kind = kind});
}

static bool add_behind_call(struct finder *finder, uint32_t block, uint64_t pc)
{
    uint32_t to = ft_flow_graph_block_at(finder->graph, pc, 0);
    if (to == FT_NO_BLOCK || finder->graph->blocks[to].call_before != block)
        return true;
    return add_exit(
        finder, (struct ft_block_exit){
                    .pc = pc, .count = finder->returned[to], .to = to, .kind = FT_EXIT_RETURNED});
}

static bool add_code(struct finder *finder, uint32_t block)
{
    const struct ft_instruction *last = ft_flow_last_instruction(finder->graph, block);
    const uint64_t next = last->pc + last->length;
    switch (last->flow) {
    case FT_FLOW_NEXT:
    case FT_FLOW_SYSCALL:
        return add_untaken(finder, block, next, FT_EXIT_NEXT);
    case FT_FLOW_BRANCH:
        return add_untaken(finder, block, next, FT_EXIT_NEXT) &&
               add_untaken(finder, block, last->target, FT_EXIT_TAKEN);
    case FT_FLOW_JUMP:
        return add_untaken(finder, block, last->target, FT_EXIT_TAKEN);
    case FT_FLOW_CALL:
    case FT_FLOW_CALL_INDIRECT:
        return add_behind_call(finder, block, next);
    default:
        return true;
    }
}

static int compare_exits(const void *left, const void *right)
{
    const struct ft_block_exit *a = left, *b = right;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static bool find(struct finder *finder)
{
    const struct ft_flow_graph *graph = finder->graph;
    size_t edge = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        finder->exits.first[b] = (uint32_t)finder->count;
        bool leaves = leaves_routine(ft_flow_last_instruction(graph, b)->flow);
        for (; edge < graph->edge_count && graph->edges[edge].from == b; edge++) {
            const struct ft_block_edge *taken = &graph->edges[edge];
            struct ft_block_exit exit = {.pc = graph->blocks[taken->to].pc,
                                         .count = taken->count,
                                         .to = taken->to,
                                         .kind = kind_of(finder, b, taken->to)};
            if (!leaves && !ft_edge_comes_back(graph, finder->routines, taken) &&
                !add_exit(finder, exit))
                return false;
        }
        if (!add_code(finder, b))
            return false;
        if (finder->count > finder->exits.first[b])
            qsort(finder->exits.items + finder->exits.first[b],
                  finder->count - finder->exits.first[b], sizeof *finder->exits.items,
                  compare_exits);
    }
    finder->exits.first[graph->block_count] = (uint32_t)finder->count;
    return true;
}

int ft_block_exits_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        struct ft_block_exits *ret_exits, struct ft_diag *diag)
{
    struct finder finder = {
        .graph = graph,
        .routines = routines,
        .exits.first = calloc(graph->block_count + 1, sizeof *finder.exits.first),
        .returned = calloc(graph->block_count + 1, sizeof *finder.returned),
    };
    bool complete = finder.exits.first && finder.returned;
    if (complete) {
        count_returned(&finder);
        complete = find(&finder);
    }
    free(finder.returned);
    if (!complete) {
        ft_block_exits_fini(&finder.exits);
        return ft_fail_memory(diag, "the exits of blocks");
    }
    *ret_exits = finder.exits;
    return FT_OK;
}

void ft_block_exits_fini(struct ft_block_exits *exits)
{
    free(exits->items);
    free(exits->first);
    *exits = (struct ft_block_exits){0};
}
