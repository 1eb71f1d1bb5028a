/*
 * The instructions of one routine, decoded for the analyses that follow values, block by block in
 * the order of definitions (definition_order.h). Blocks and instructions are numbered in this order
 * from 0: "local" numbers. Reused for one routine after another.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_ROUTINE_CODE_H
#define FT_ENGINE_PROGRAM_VALUES_ROUTINE_CODE_H

#include "engine/program/values/definition_order.h"
#include "formats/x86/value_flow.h"

struct ft_routine_code {
    const struct ft_flow_graph *graph;
    const struct ft_program_loops *loops;
    const struct ft_definition_order *order;
    uint32_t first_position; /* of local block 0 in the order */
    uint32_t block_count, instruction_count;
    uint32_t *first_instruction; /* per local block, and the end */
    uint32_t *graph_instruction; /* per local instruction */
    uint32_t *block_of;          /* per local instruction: local block */
    struct ft_value_flow *flows; /* per local instruction; all 0 for references without code */
    size_t block_capacity, instruction_capacity, index_capacity, owner_capacity;
};

/* `code` is {0} or was used before. */
int ft_routine_code_make(struct ft_routine_code *code, const struct ft_flow_graph *graph,
                         const struct ft_routine *routine, const struct ft_program_loops *loops,
                         const struct ft_definition_order *order, struct ft_diag *diag);
void ft_routine_code_fini(struct ft_routine_code *code);

static inline uint32_t ft_code_graph_block(const struct ft_routine_code *code, uint32_t block)
{
    return code->order->blocks[code->first_position + block];
}

static inline uint32_t ft_code_local_block(const struct ft_routine_code *code, uint32_t graph_block)
{
    return code->order->position[graph_block] - code->first_position;
}

/* The innermost loop of a local block. */
static inline uint32_t ft_code_loop(const struct ft_routine_code *code, uint32_t block)
{
    return code->loops->of_block[ft_code_graph_block(code, block)];
}

static inline const struct ft_instruction *ft_code_instruction(const struct ft_routine_code *code,
                                                               uint32_t instruction)
{
    return code->graph->instructions[code->graph_instruction[instruction]];
}

/* The reducible loop whose header is a local block, or FT_NO_LOOP. */
static inline uint32_t ft_code_headed_loop(const struct ft_routine_code *code, uint32_t block)
{
    uint32_t loop = ft_code_loop(code, block);
    return loop != FT_NO_LOOP && code->order->reducible[loop] &&
                   code->loops->items[loop].header == ft_code_graph_block(code, block)
               ? loop
               : FT_NO_LOOP;
}

static inline bool ft_code_is_call(const struct ft_routine_code *code, uint32_t instruction)
{
    uint8_t flow = ft_code_instruction(code, instruction)->flow;
    return flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT;
}

#endif
