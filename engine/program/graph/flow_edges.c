/*
 * Edges between blocks: inside units, where a block starts in the middle of one, and from unit to
 * unit, as often as one followed the other.
 */
#include <stdlib.h>

#include "engine/program/graph/flow_building.h"
#include "formats/base/array.h"

bool ft_flow_add_edge(struct ft_block_edge **edges, size_t *count, size_t *capacity, uint32_t from,
                      uint32_t to, uint64_t executions)
{
    if (!FT_RESERVE(*edges, *capacity, *count + 1))
        return false;
    (*edges)[(*count)++] = (struct ft_block_edge){from, to, executions};
    return true;
}

static int compare_edges(const void *left, const void *right)
{
    const struct ft_block_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

size_t ft_flow_merge_edges(struct ft_block_edge *edges, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++)
        if (kept && compare_edges(&edges[kept - 1], &edges[i]) == 0)
            edges[kept - 1].count += edges[i].count;
        else
            edges[kept++] = edges[i];
    return kept;
}

/* Edges between the blocks of instructions that followed each other in a unit. */
static bool add_edges_inside(struct ft_flow_building *building, const uint32_t *nodes,
                             unsigned count, uint64_t executions)
{
    struct ft_flow_graph *graph = &building->graph;
    for (unsigned i = 1; i < count; i++)
        if (building->nodes[nodes[i]].leader &&
            !ft_flow_add_edge(&graph->edges, &graph->edge_count, &building->edge_capacity,
                              building->nodes[nodes[i - 1]].block, building->nodes[nodes[i]].block,
                              executions))
            return false;
    return true;
}

bool ft_flow_make_edges(struct ft_flow_building *building)
{
    struct ft_flow_graph *graph = &building->graph;
    for (size_t id = 0; id < building->unit_count; id++)
        if (ft_flow_has_unit(building, (uint32_t)id) && building->counts->units[id] &&
            !add_edges_inside(building, building->unit_nodes + building->first_of_unit[id],
                              ft_unit_last_execution_instructions(building->units[id]),
                              building->counts->units[id]))
            return false;
    for (size_t p = 0; p < building->counts->part_count; p++) {
        const uint32_t *nodes = NULL;
        const unsigned count = ft_flow_nodes_of_part(building, &building->counts->parts[p], &nodes);
        if (!add_edges_inside(building, nodes, count, building->counts->parts[p].count))
            return false;
    }
    for (size_t i = 0; i < building->counts->edge_count; i++) {
        const struct ft_unit_edge *edge = &building->counts->edges[i];
        if (!ft_flow_has_unit(building, edge->from) || !ft_flow_has_unit(building, edge->to))
            continue;
        const struct ft_flow_node *to = &building->nodes[ft_flow_first_node(building, edge->to)];
        if (to->leader &&
            !ft_flow_add_edge(&graph->edges, &graph->edge_count, &building->edge_capacity,
                              building->nodes[ft_flow_last_node(building, edge->from)].block,
                              to->block, edge->count))
            return false;
    }
    graph->edge_count = ft_flow_merge_edges(graph->edges, graph->edge_count);
    return true;
}
