/*
 * Successors inside a routine: executed ones but calls and returns; from a call to where it
 * returns, unless all that ran there came from elsewhere (a routine that never returns); and
 * branches that were never taken, or always, where both ends ran. References without code have
 * none: whether they jump, call or return is unknown.
 */
#include <stdlib.h>

#include "engine/program/graph/flow_building.h"

static bool add_link(struct ft_flow_building *building, uint32_t from, uint32_t to)
{
    return ft_flow_add_edge(&building->links, &building->link_count, &building->link_capacity, from,
                            to, 0);
}

/* The block that starts at pc and ran, or FT_NO_BLOCK. */
static uint32_t executed_block(const struct ft_flow_building *building, uint64_t pc)
{
    uint32_t node = ft_flow_node_at(building, pc);
    for (; node != FT_NO_NODE; node = building->nodes[node].same_pc)
        if (building->nodes[node].leader && building->nodes[node].count)
            return building->nodes[node].block;
    return FT_NO_BLOCK;
}

static const struct ft_symbol *symbol_of(const struct ft_flow_building *building, uint32_t block)
{
    const struct ft_flow_block *b = &building->graph.blocks[block];
    return b->module == FT_NO_MODULE ? NULL
                                     : ft_module_symbol(building->modules[b->module], b->offset);
}

/* Whether an edge may be the end of a call: a return, a jump out of a routine that stands for one
 * (longjmp, `pop rcx; jmp rcx`), a call of the next instruction. */
static bool may_come_back(const struct ft_flow_building *building, const struct ft_block_edge *edge)
{
    const struct ft_instruction *last = ft_flow_last_instruction(&building->graph, edge->from);
    switch (last->flow) {
    case FT_FLOW_NEXT:
    case FT_FLOW_BRANCH:
    case FT_FLOW_JUMP:
    case FT_FLOW_SYSCALL:
    case FT_FLOW_TRAP:
        return false;
    case FT_FLOW_CALL:
    case FT_FLOW_CALL_INDIRECT:
        return last->pc + last->length == building->graph.blocks[edge->to].pc;
    case FT_FLOW_JUMP_INDIRECT:
        return symbol_of(building, edge->from) != symbol_of(building, edge->to);
    default:
        return true;
    }
}

static bool count_reached(struct ft_flow_building *building)
{
    const struct ft_flow_graph *graph = &building->graph;
    building->reached = calloc(graph->block_count + 1, sizeof *building->reached);
    for (size_t i = 0; building->reached && i < graph->edge_count; i++)
        if (!may_come_back(building, &graph->edges[i]))
            building->reached[graph->edges[i].to] += graph->edges[i].count;
    return building->reached != NULL;
}

/* What follows a block by its code alone, where it ran too. */
static bool add_static_links(struct ft_flow_building *building, uint32_t block)
{
    struct ft_flow_graph *graph = &building->graph;
    const struct ft_instruction *last = ft_flow_last_instruction(graph, block);
    uint32_t next = FT_NO_BLOCK, target = FT_NO_BLOCK;
    if (last->flow != FT_FLOW_JUMP && last->flow != FT_FLOW_JUMP_INDIRECT &&
        last->flow != FT_FLOW_RETURN && last->flow != FT_FLOW_INTERRUPT_RETURN &&
        last->flow != FT_FLOW_TRAP && last->flow != FT_FLOW_UNKNOWN)
        next = executed_block(building, last->pc + last->length);
    if (last->flow == FT_FLOW_BRANCH || last->flow == FT_FLOW_JUMP)
        target = executed_block(building, last->target);
    if (next != FT_NO_BLOCK &&
        (last->flow == FT_FLOW_CALL || last->flow == FT_FLOW_CALL_INDIRECT)) {
        if (building->reached[next] >= graph->blocks[next].execution_count)
            next = FT_NO_BLOCK;
        else
            graph->blocks[next].call_before = block;
    }
    return (next == FT_NO_BLOCK || add_link(building, block, next)) &&
           (target == FT_NO_BLOCK || add_link(building, block, target));
}

bool ft_flow_make_successors(struct ft_flow_building *building)
{
    struct ft_flow_graph *graph = &building->graph;
    if (!count_reached(building))
        return false;
    for (size_t i = 0; i < graph->edge_count; i++) {
        uint8_t flow = ft_flow_last_instruction(graph, graph->edges[i].from)->flow;
        if (flow != FT_FLOW_CALL && flow != FT_FLOW_CALL_INDIRECT && flow != FT_FLOW_RETURN &&
            flow != FT_FLOW_UNKNOWN &&
            !add_link(building, graph->edges[i].from, graph->edges[i].to))
            return false;
    }
    for (size_t b = 0; b < graph->block_count; b++)
        if (graph->blocks[b].execution_count && !add_static_links(building, (uint32_t)b))
            return false;
    building->link_count = ft_flow_merge_edges(building->links, building->link_count);
    graph->successors = malloc((building->link_count + 1) * sizeof *graph->successors);
    graph->first_successor = calloc(graph->block_count + 1, sizeof *graph->first_successor);
    if (!graph->successors || !graph->first_successor)
        return false;
    for (size_t i = 0; i < building->link_count; i++) {
        graph->successors[i] = building->links[i].to;
        graph->first_successor[building->links[i].from + 1]++;
    }
    for (size_t b = 0; b < graph->block_count; b++)
        graph->first_successor[b + 1] += graph->first_successor[b];
    return true;
}
