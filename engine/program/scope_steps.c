#include "engine/program/scope_steps.h"

#include <stdlib.h>

#include "engine/program/structure.h"
#include "formats/x86/instruction.h"

void ft_scope_steps_fini(struct ft_scope_steps *steps)
{
    free(steps->steps);
    free(steps->passed);
    free(steps->loops);
    free(steps->routine_scopes);
    *steps = (struct ft_scope_steps){0};
}

static struct ft_scope_step step_at(const struct ft_structure *structure, uint32_t index)
{
    const struct ft_flow_graph *graph = &structure->graph;
    const struct ft_routines *routines = &structure->routines;
    const struct ft_program_loops *loops = &structure->loops;
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

/* ---- what the walk can do without ---- */

static int compare_positions(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool is_start(const uint64_t *starts, size_t count, uint64_t pc)
{
    return bsearch(&pc, starts, count, sizeof *starts, compare_positions) != NULL;
}

/* The walk looks at the beginnings of blocks, and at how the instruction before one leads there:
 * whether it calls or returns, or whether no instruction leads to the start of a routine. */
static bool is_needed(const struct ft_scope_step *step, const uint64_t *starts, size_t count)
{
    if (step->starts_block)
        return true;
    switch (step->flow) {
    case FT_FLOW_BRANCH:
    case FT_FLOW_JUMP:
        return is_start(starts, count, step->end) || is_start(starts, count, step->target);
    case FT_FLOW_NEXT:
    case FT_FLOW_SYSCALL:
    case FT_FLOW_TRAP:
        return is_start(starts, count, step->end);
    default:
        return true;
    }
}

static int mark_passed(struct ft_scope_steps *steps, struct ft_diag *diag)
{
    uint64_t *starts = malloc((steps->count + 1) * sizeof *starts);
    size_t count = 0;
    if (!starts)
        return ft_fail_memory(diag, "the steps of a program");
    for (size_t i = 0; i < steps->count; i++)
        if (steps->steps[i].starts_routine)
            starts[count++] = steps->steps[i].pc;
    qsort(starts, count, sizeof *starts, compare_positions);
    for (size_t i = 0; i < steps->count; i++)
        steps->passed[i] = !is_needed(&steps->steps[i], starts, count);
    free(starts);
    return FT_OK;
}

int ft_scope_steps_make(const struct ft_structure *structure, const struct ft_reference *references,
                        uint32_t reference_count, struct ft_scope_steps *ret_steps,
                        struct ft_diag *diag)
{
    const struct ft_routines *routines = &structure->routines;
    const struct ft_program_loops *loops = &structure->loops;
    struct ft_scope_steps steps = {.loop_count = loops->count};
    while (steps.first < reference_count && references[steps.first].kind != FT_FETCH)
        steps.first++;
    steps.steps = calloc(reference_count - steps.first + (size_t)1, sizeof *steps.steps);
    steps.passed = calloc(reference_count - steps.first + (size_t)1, sizeof *steps.passed);
    steps.loops = calloc(loops->count + 1, sizeof *steps.loops);
    steps.routine_scopes = calloc(routines->count + 1, sizeof *steps.routine_scopes);
    int status = steps.steps && steps.passed && steps.loops && steps.routine_scopes
                     ? FT_OK
                     : ft_fail_memory(diag, "the steps of a program");
    for (uint32_t r = steps.first; !status && r < reference_count; r++) {
        uint32_t index = ft_flow_graph_instruction_at(&structure->graph, references[r].pc, 0);
        if (index == FT_NO_BLOCK)
            status = ft_fail(diag, FT_ERROR_DATA, "an instruction of the trace is in no unit");
        else
            steps.steps[steps.count++] = step_at(structure, index);
    }
    if (!status)
        status = mark_passed(&steps, diag);
    for (size_t i = 0; !status && i < loops->count; i++)
        steps.loops[i] = (struct ft_step_loop){loops->items[i].parent, structure->scope_of_loop[i]};
    for (size_t i = 0; !status && i < routines->count; i++)
        steps.routine_scopes[i] = structure->scope_of_routine[i];
    if (status)
        ft_scope_steps_fini(&steps);
    else
        *ret_steps = steps;
    return status;
}

int ft_scope_steps_of_trace(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                            const struct ft_reference *references, uint32_t reference_count,
                            struct ft_scope_steps *ret_steps, struct ft_diag *diag)
{
    struct ft_structure structure;
    int status =
        ft_structure_of_trace(trace, counts, references, reference_count, NULL, &structure, diag);
    if (status)
        return status;
    status = ft_scope_steps_make(&structure, references, reference_count, ret_steps, diag);
    ft_structure_fini(&structure);
    return status;
}
