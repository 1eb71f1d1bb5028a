/*
 * An instruction that cannot be decoded again was not in the trace: that is an error.
 */
#include "engine/program/values/routine_code.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

static int decode(const struct ft_flow_graph *graph, uint32_t index, struct ft_value_flow *ret_flow,
                  struct ft_diag *diag)
{
    const struct ft_unit *unit = graph->units[index];
    const struct ft_instruction *instruction = graph->instructions[index];
    if (unit->kind == FT_UNIT_REFERENCES) {
        memset(ret_flow, 0, sizeof *ret_flow);
        return 0;
    }
    return ft_value_flow_decode(ft_unit_code(unit, instruction), instruction->length,
                                instruction->pc, ret_flow, diag);
}

static int take_block(struct ft_routine_code *code, uint32_t block, struct ft_diag *diag)
{
    const struct ft_flow_block *b = &code->graph->blocks[ft_code_graph_block(code, block)];
    size_t need = (size_t)code->instruction_count + b->instruction_count;
    if (!FT_RESERVE(code->flows, code->instruction_capacity, need) ||
        !FT_RESERVE(code->graph_instruction, code->index_capacity, need) ||
        !FT_RESERVE(code->block_of, code->owner_capacity, need))
        return ft_fail_memory(diag, "the instructions of a routine");
    code->first_instruction[block] = code->instruction_count;
    for (uint32_t i = 0; i < b->instruction_count; i++) {
        uint32_t index = b->first_instruction + i;
        int status = decode(code->graph, index, &code->flows[code->instruction_count], diag);
        if (status != 0)
            return status;
        code->block_of[code->instruction_count] = block;
        code->graph_instruction[code->instruction_count++] = index;
    }
    return 0;
}

int ft_routine_code_make(struct ft_routine_code *code, const struct ft_flow_graph *graph,
                         const struct ft_routine *routine, const struct ft_program_loops *loops,
                         const struct ft_definition_order *order, struct ft_diag *diag)
{
    code->graph = graph;
    code->loops = loops;
    code->order = order;
    code->first_position = routine->first_block;
    code->block_count = routine->block_count;
    code->instruction_count = 0;
    if (!FT_RESERVE(code->first_instruction, code->block_capacity,
                    (size_t)routine->block_count + 1))
        return ft_fail_memory(diag, "the blocks of a routine");
    for (uint32_t b = 0; b < routine->block_count; b++) {
        int status = take_block(code, b, diag);
        if (status != 0)
            return status;
    }
    code->first_instruction[routine->block_count] = code->instruction_count;
    return 0;
}

void ft_routine_code_fini(struct ft_routine_code *code)
{
    free(code->first_instruction);
    free(code->graph_instruction);
    free(code->block_of);
    free(code->flows);
    *code = (struct ft_routine_code){0};
}
