/*
 * An edge enters every scope that contains its target but not its source, where the source of a
 * return is the block of the call. Code without a predecessor, the first unit of a thread or a
 * signal handler, enters the routine that it starts.
 */
#include "engine/program/structure_building.h"

static bool holds(const struct ft_scopes *scopes, uint32_t outer, uint32_t scope)
{
    while (scope > outer)
        scope = scopes->scopes[scope].parent;
    return scope == outer;
}

/* The block that an edge comes from, within a routine: of a return, the one that called. */
static uint32_t source_of(const struct ft_structure_building *building,
                          const struct ft_block_edge *edge)
{
    const struct ft_flow_graph *graph = &building->made.graph;
    return ft_edge_comes_back(graph, &building->made.routines, edge)
               ? graph->blocks[edge->to].call_before
               : edge->from;
}

/* Whether an edge into a routine calls it. A part that the routine itself calls goes on with it;
 * what the OpenMP library calls was entered where the region begins. */
static bool enters_routine(const struct ft_structure_building *building,
                           const struct ft_block_edge *edge)
{
    const struct ft_routines *routines = &building->made.routines;
    switch (routines->starts[edge->to]) {
    case FT_STARTS_REGION:
        return false;
    case FT_STARTS_PART:
        return routines->of_block[edge->from] != routines->of_block[edge->to];
    default:
        return true;
    }
}

void ft_building_count_entries(struct ft_structure_building *building)
{
    struct ft_scopes *scopes = &building->made.scopes;
    const struct ft_flow_graph *graph = &building->made.graph;
    const uint32_t *routine_of = building->made.routines.of_block;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct ft_block_edge *edge = &graph->edges[i];
        uint8_t flow = ft_flow_last_instruction(graph, edge->from)->flow;
        uint32_t from = scopes->blocks[source_of(building, edge)].scope;
        uint32_t to = scopes->blocks[edge->to].scope;
        bool call = flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT;
        /* A routine that calls itself is entered again, and so is all of it. */
        bool recursive = call && routine_of[edge->from] == routine_of[edge->to];
        for (; scopes->scopes[to].kind == FT_SCOPE_LOOP; to = scopes->scopes[to].parent)
            if (recursive || !holds(scopes, to, from))
                scopes->scopes[to].entry_count += edge->count;
        if ((recursive || !holds(scopes, to, from)) && enters_routine(building, edge))
            scopes->scopes[to].entry_count += edge->count;
    }
    for (size_t i = 0; i < building->made.loops.count; i++)
        scopes->scopes[building->made.scope_of_loop[i]].iteration_count +=
            graph->blocks[building->made.loops.items[i].header].execution_count;
}

/* Where a thread starts, no edge comes from anywhere. (Nor where a signal handler returns; that is
 * in the middle of a routine.) */
void ft_building_count_starts(struct ft_structure_building *building)
{
    const struct ft_structure_input *input = building->input;
    for (size_t i = 0; i < input->counts->edge_count; i++) {
        const struct ft_unit_edge *edge = &input->counts->edges[i];
        if (edge->from != 0 || edge->to >= input->unit_count || !input->units[edge->to])
            continue;
        uint32_t block =
            ft_flow_graph_block_at(&building->made.graph, input->units[edge->to]->pc, 0);
        if (block == FT_NO_BLOCK)
            continue;
        const struct ft_routine *routine =
            &building->made.routines.items[building->made.routines.of_block[block]];
        struct ft_scope *scopes = building->made.scopes.scopes;
        uint32_t scope = building->made.scopes.blocks[block].scope;
        if (building->made.graph.blocks[block].offset != routine->start)
            continue;
        for (; scopes[scope].kind >= FT_SCOPE_ROUTINE; scope = scopes[scope].parent)
            scopes[scope].entry_count += edge->count;
    }
}
