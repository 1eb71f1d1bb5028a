/*
 * Nodes and which of them start blocks (flow_nodes.c); here blocks: from each such node along the
 * links to the next one, sorted by address; then edges (flow_edges.c) and the successors inside a
 * routine (flow_successors.c); at the end the index of instructions by address.
 */
#include "engine/program/graph/flow_building.h"

#include <stdlib.h>

static int compare_blocks(const void *left, const void *right)
{
    const struct ft_flow_block *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->first_instruction < b->first_instruction ? -1 : 1;
}

/* Blocks with first_instruction = their first node, in order; then their instructions in a row. */
static bool make_blocks(struct ft_flow_building *building)
{
    struct ft_flow_graph *graph = &building->graph;
    graph->blocks = calloc(building->node_count + 1, sizeof *graph->blocks);
    graph->instructions = calloc(building->node_count + 1, sizeof *graph->instructions);
    graph->units = calloc(building->node_count + 1, sizeof *graph->units);
    graph->block_of = malloc((building->node_count + 1) * sizeof *graph->block_of);
    if (!graph->blocks || !graph->instructions || !graph->units || !graph->block_of)
        return false;
    for (size_t i = 0; i < building->node_count; i++) {
        const struct ft_flow_node *node = &building->nodes[i];
        if (!node->leader)
            continue;
        uint32_t module = ft_flow_module_of(node);
        uint64_t pc = node->instruction->pc;
        graph->blocks[graph->block_count++] = (struct ft_flow_block){
            .pc = pc,
            .offset = module == FT_NO_MODULE ? pc : pc - building->modules[module]->load_bias,
            .module = module,
            .first_instruction = (uint32_t)i,
            .execution_count = node->count,
            .call_before = FT_NO_BLOCK,
        };
    }
    qsort(graph->blocks, graph->block_count, sizeof *graph->blocks, compare_blocks);
    for (size_t b = 0; b < graph->block_count; b++) {
        struct ft_flow_block *block = &graph->blocks[b];
        uint32_t node = block->first_instruction;
        block->first_instruction = (uint32_t)graph->instruction_count;
        do {
            graph->instructions[graph->instruction_count] = building->nodes[node].instruction;
            graph->units[graph->instruction_count] = building->nodes[node].unit;
            graph->block_of[graph->instruction_count++] = (uint32_t)b;
            building->nodes[node].block = (uint32_t)b;
            block->instruction_count++;
            block->code_bytes += building->nodes[node].instruction->length;
            node = building->nodes[node].next;
        } while (node != FT_NO_NODE && !building->nodes[node].leader);
    }
    return true;
}

static int compare_addresses(const void *left, const void *right, void *context)
{
    const struct ft_flow_graph *graph = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t a_pc = graph->instructions[a]->pc, b_pc = graph->instructions[b]->pc;
    if (a_pc != b_pc)
        return a_pc < b_pc ? -1 : 1;
    return a < b ? -1 : 1;
}

static bool index_by_pc(struct ft_flow_graph *graph)
{
    graph->by_pc = malloc((graph->instruction_count + 1) * sizeof *graph->by_pc);
    if (!graph->by_pc)
        return false;
    for (uint32_t i = 0; i < graph->instruction_count; i++)
        graph->by_pc[i] = i;
    qsort_r(graph->by_pc, graph->instruction_count, sizeof *graph->by_pc, compare_addresses, graph);
    return true;
}

int ft_flow_graph_build(const struct ft_unit *const *units, size_t unit_count,
                        const struct ft_execution_counts *counts,
                        const struct ft_module *const *modules, struct ft_flow_graph *ret_graph,
                        struct ft_diag *diag)
{
    struct ft_flow_building building = {
        .units = units, .unit_count = unit_count, .counts = counts, .modules = modules};
    bool complete = ft_flow_make_nodes(&building);
    if (complete) {
        ft_flow_find_leaders(&building);
        complete = make_blocks(&building) && ft_flow_make_edges(&building) &&
                   ft_flow_make_successors(&building) && index_by_pc(&building.graph);
    }
    free(building.nodes);
    ft_hash_table_fini(&building.first_nodes);
    free(building.unit_nodes);
    free(building.first_of_unit);
    free(building.links);
    free(building.reached);
    if (!complete) {
        ft_flow_graph_fini(&building.graph);
        return ft_fail_memory(diag, "the flow graph");
    }
    *ret_graph = building.graph;
    return 0;
}
