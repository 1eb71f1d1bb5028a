/*
 * A step covers all instructions at its address that have its length; an iteration of a loop is an
 * execution of its header, an entry a taken entry edge.
 */
#include "engine/program/counted_work.h"

static uint64_t executions_at(const struct ft_flow_graph *graph, uint64_t pc, uint64_t end)
{
    uint64_t executions = 0;
    for (size_t i = ft_flow_graph_first_from(graph, pc); i < graph->instruction_count; i++) {
        uint32_t index = graph->by_pc[i];
        const struct ft_instruction *instruction = graph->instructions[index];
        if (instruction->pc != pc)
            break;
        if (pc + instruction->length == end)
            executions += graph->blocks[graph->block_of[index]].execution_count;
    }
    return executions;
}

void ft_counted_executions(const struct ft_structure *structure, const struct ft_scope_steps *steps,
                           uint64_t *executions)
{
    for (size_t i = 0; i < steps->count; i++)
        executions[i] = executions_at(&structure->graph, steps->steps[i].pc, steps->steps[i].end);
}

void ft_counted_trips(const struct ft_structure *structure, const struct ft_loop_edges *edges,
                      struct ft_trips *trips)
{
    for (uint32_t l = 0; l < structure->loops.count; l++) {
        const struct ft_flow_block *header =
            &structure->graph.blocks[structure->loops.items[l].header];
        trips[l] = (struct ft_trips){.iterations = header->execution_count};
        for (uint32_t e = edges->first[l]; e < edges->first[l + 1]; e++)
            if (edges->items[e].kind == FT_LOOP_ENTRY)
                trips[l].entries += edges->items[e].count;
    }
}
