#include "engine/program/graph/flow_graph.h"

#include <stdlib.h>

void ft_flow_graph_fini(struct ft_flow_graph *graph)
{
    free(graph->instructions);
    free(graph->units);
    free(graph->blocks);
    free(graph->edges);
    free(graph->successors);
    free(graph->first_successor);
    free(graph->by_pc);
    free(graph->block_of);
    *graph = (struct ft_flow_graph){0};
}

size_t ft_flow_graph_first_from(const struct ft_flow_graph *graph, uint64_t pc)
{
    size_t low = 0, high = graph->instruction_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->instructions[graph->by_pc[middle]]->pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t ft_flow_graph_instruction_at(const struct ft_flow_graph *graph, uint64_t pc,
                                      unsigned access_count)
{
    for (size_t i = ft_flow_graph_first_from(graph, pc); i < graph->instruction_count; i++) {
        const struct ft_instruction *instruction = graph->instructions[graph->by_pc[i]];
        if (instruction->pc != pc)
            break;
        if (instruction->access_count >= access_count)
            return graph->by_pc[i];
    }
    return FT_NO_BLOCK;
}

uint32_t ft_flow_graph_block_at(const struct ft_flow_graph *graph, uint64_t pc,
                                unsigned access_count)
{
    uint32_t index = ft_flow_graph_instruction_at(graph, pc, access_count);
    return index == FT_NO_BLOCK ? FT_NO_BLOCK : graph->block_of[index];
}
