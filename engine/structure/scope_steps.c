#include "engine/structure/scope_steps.h"

#include <stdlib.h>

#include "engine/structure/steps_of_graph.h"

void ft_scope_steps_fini(struct ft_scope_steps *steps)
{
    free(steps->steps);
    free(steps->loops);
    free(steps->routine_scopes);
    *steps = (struct ft_scope_steps){0};
}

static struct ft_scope_step step_at(const struct ft_flow_graph *graph,
                                    const struct ft_routines *routines,
                                    const struct ft_program_loops *loops, uint32_t index)
{
    const struct ft_instruction *instruction = graph->instructions[index];
    const uint32_t block = graph->block_of[index];
    const struct ft_flow_block *inside = &graph->blocks[block];
    const uint32_t loop = loops->of_block[block];
    const uint32_t routine = routines->of_block[block];
    const bool starts = inside->first_instruction == index;
    return (struct ft_scope_step){
        .pc = instruction->pc,
        .end = instruction->pc + instruction->length,
        .target = instruction->target,
        .routine = routine,
        .loop = loop,
        .flow = instruction->flow,
        .starts_block = starts,
        .starts_routine = starts && routines->starts[block] != FT_STARTS_NOTHING,
        .heads_loop = starts && loop != FT_NO_LOOP && loops->items[loop].header == block,
    };
}

int ft_scope_steps_make(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        const struct ft_program_loops *loops, const uint32_t *scope_of_routine,
                        const uint32_t *scope_of_loop, const struct ft_reference *references,
                        uint32_t reference_count, struct ft_scope_steps *ret_steps,
                        struct ft_diag *diag)
{
    struct ft_scope_steps steps = {.loop_count = loops->count};
    while (steps.first < reference_count && references[steps.first].kind != FT_FETCH)
        steps.first++;
    steps.steps = calloc(reference_count - steps.first + (size_t)1, sizeof *steps.steps);
    steps.loops = calloc(loops->count + 1, sizeof *steps.loops);
    steps.routine_scopes = calloc(routines->count + 1, sizeof *steps.routine_scopes);
    int status = steps.steps && steps.loops && steps.routine_scopes
                     ? FT_OK
                     : ft_fail_memory(diag, "the steps of a program");
    for (uint32_t r = steps.first; !status && r < reference_count; r++) {
        uint32_t index = ft_flow_graph_instruction_at(graph, references[r].pc, 0);
        if (index == FT_NO_BLOCK)
            status = ft_fail(diag, FT_ERROR_DATA, "an instruction is in no unit");
        else
            steps.steps[steps.count++] = step_at(graph, routines, loops, index);
    }
    for (size_t i = 0; !status && i < loops->count; i++)
        steps.loops[i] = (struct ft_step_loop){loops->items[i].parent, scope_of_loop[i]};
    for (size_t i = 0; !status && i < routines->count; i++)
        steps.routine_scopes[i] = scope_of_routine[i];
    if (status)
        ft_scope_steps_fini(&steps);
    else
        *ret_steps = steps;
    return status;
}
