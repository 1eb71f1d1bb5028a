/*
 * A call begins an activation, a return goes on with the one that waits for it, a jump into another
 * routine replaces the active one. Loops are entered and turn with the blocks that run.
 */
#include "tests/support/routine_walk.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/trace_executions.h"

uint32_t routine_walk_routine(const struct routine_walk *walk, uint32_t instruction)
{
    return walk->structure.routines.of_block[walk->structure.graph.block_of[instruction]];
}

static void begin_activation(struct routine_walk *walk, uint32_t routine, uint64_t return_pc)
{
    if (walk->depth == walk->capacity) {
        walk->capacity = 2 * walk->capacity + 16;
        walk->stack = realloc(walk->stack, walk->capacity * sizeof *walk->stack);
        if (!walk->stack)
            exit(99);
    }
    struct activation *activation = &walk->stack[walk->depth++];
    *activation = (struct activation){
        .routine = routine, .return_pc = return_pc, .number = ++walk->activations};
    if (walk->listener->begin)
        walk->listener->begin(walk, activation);
}

static void end_activation(struct routine_walk *walk)
{
    struct activation *activation = &walk->stack[--walk->depth];
    if (walk->listener->end)
        walk->listener->end(walk, activation);
}

/* A return goes on where a call that is active is to; else nothing is known. */
static void come_back(struct routine_walk *walk, uint64_t pc)
{
    size_t depth = walk->depth;
    while (depth > 0 && walk->stack[depth - 1].return_pc != pc)
        depth--;
    size_t keep = depth == 0 ? 0 : depth - 1;
    while (walk->depth > keep)
        end_activation(walk);
}

static void enter_block(struct routine_walk *walk, struct activation *activation, uint32_t block)
{
    const struct ft_program_loops *loops = &walk->structure.loops;
    uint32_t around[64];
    unsigned count = 0;
    for (uint32_t l = loops->of_block[block]; l != FT_NO_LOOP && count < 64;
         l = loops->items[l].parent)
        around[count++] = l;
    unsigned common = 0;
    while (common < activation->depth && common < count &&
           activation->loops[common].loop == around[count - 1 - common])
        common++;
    activation->depth = common;
    for (unsigned d = 0; d < common; d++)
        if (loops->items[activation->loops[d].loop].header == block)
            activation->loops[d].iteration++;
    for (; activation->depth < count && activation->depth < WALK_LEVELS_MAX; activation->depth++)
        activation->loops[activation->depth] = (struct active_loop){
            around[count - 1 - activation->depth], 0, ++walk->loop_activations};
}

static void execute(struct routine_walk *walk, uint32_t index)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    const struct ft_instruction *instruction = graph->instructions[index];
    const struct ft_instruction *previous = walk->previous;
    uint32_t routine = routine_walk_routine(walk, index);
    bool called =
        previous && (previous->flow == FT_FLOW_CALL || previous->flow == FT_FLOW_CALL_INDIRECT);
    if (called) {
        begin_activation(walk, routine, previous->pc + previous->length);
    } else if (previous && previous->flow == FT_FLOW_RETURN) {
        come_back(walk, instruction->pc);
    }
    if (walk->depth == 0)
        begin_activation(walk, routine, 0);
    struct activation *activation = &walk->stack[walk->depth - 1];
    if (activation->routine != routine) { /* a tail call */
        uint64_t return_pc = activation->return_pc;
        end_activation(walk);
        begin_activation(walk, routine, return_pc);
        activation = &walk->stack[walk->depth - 1];
    }
    uint32_t block = graph->block_of[index];
    if (graph->blocks[block].first_instruction == index)
        enter_block(walk, activation, block);
    walk->previous = instruction;
    if (walk->listener->execute)
        walk->listener->execute(walk, activation, index);
}

static void take_batch(struct routine_walk *walk, const struct ft_run_batch *batch)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t e = run->first; e < run->first + run->reference_count; e++) {
                uint32_t reference = batch->references[e];
                uint32_t instruction = walk->instruction_of[reference];
                if (walk->references[reference].kind == FT_FETCH)
                    execute(walk, instruction);
                else
                    walk->listener->access(walk, walk->depth ? &walk->stack[walk->depth - 1] : NULL,
                                           instruction, walk->references[reference].access_index,
                                           batch->addresses[e] + i * (uint64_t)batch->strides[e]);
            }
    }
}

static void find_ranges(struct routine_walk *walk)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    size_t routines = walk->structure.routines.count + 1;
    walk->first_access = malloc(routines * sizeof *walk->first_access);
    walk->access_end = calloc(routines, sizeof *walk->access_end);
    if (!walk->first_access || !walk->access_end)
        exit(99);
    memset(walk->first_access, 0xff, routines * sizeof *walk->first_access);
    for (uint32_t i = 0; i < graph->instruction_count; i++) {
        uint32_t routine = routine_walk_routine(walk, i), first = walk->formulas.first_access[i];
        uint32_t end = first + graph->instructions[i]->access_count;
        if (first < walk->first_access[routine])
            walk->first_access[routine] = first;
        if (end > walk->access_end[routine])
            walk->access_end[routine] = end;
    }
}

int routine_walk_follow(struct routine_walk *walk, struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_run_batch batch;
    int status =
        ft_trace_runs_of(walk->trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &source, diag);
    if (status != 0)
        return status;
    walk->references = source->references;
    walk->instruction_of = calloc(source->reference_count + 1, sizeof *walk->instruction_of);
    if (!walk->instruction_of)
        exit(99);
    for (uint32_t r = 0; r < source->reference_count; r++) {
        const struct ft_reference *reference = &source->references[r];
        walk->instruction_of[r] = ft_flow_graph_instruction_at(
            &walk->structure.graph, reference->pc,
            reference->kind == FT_FETCH ? 0 : reference->access_index + 1U);
    }
    while ((status = source->next(source, &batch, diag)) == 0 && batch.run_count)
        take_batch(walk, &batch);
    source->destroy(source);
    while (walk->depth)
        end_activation(walk);
    return status;
}

int routine_walk_open(const char *path, struct routine_walk *walk, struct ft_diag *diag)
{
    struct ft_trace_options options = {0};
    struct ft_execution_counts counts = {0};
    int status = ft_trace_open(path, &options, &walk->trace, diag);
    if (status == 0)
        status = ft_trace_executions(walk->trace, NULL, &counts, diag);
    if (status == 0)
        status = ft_structure_of_trace(walk->trace, &counts, NULL, 0, NULL, &walk->structure, diag);
    if (status == 0)
        status = ft_formulas_find(&walk->structure.graph, &walk->structure.routines,
                                  &walk->structure.loops, &walk->formulas, diag);
    if (status == 0)
        find_ranges(walk);
    ft_execution_counts_fini(&counts);
    return status;
}

bool routine_walk_is_own(const struct routine_walk *walk, uint32_t instruction)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    uint32_t module = graph->blocks[graph->block_of[instruction]].module;
    return module != FT_NO_MODULE && strcmp(ft_trace_module(walk->trace, module)->path,
                                            ft_trace_metadata(walk->trace)->program) == 0;
}

uint64_t routine_walk_offset(const struct routine_walk *walk, uint32_t instruction)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    const struct ft_flow_block *block = &graph->blocks[graph->block_of[instruction]];
    return block->offset + (graph->instructions[instruction]->pc - block->pc);
}

void routine_walk_close(struct routine_walk *walk)
{
    ft_formulas_fini(&walk->formulas);
    ft_structure_fini(&walk->structure);
    ft_trace_close(walk->trace);
    free(walk->stack);
    free(walk->instruction_of);
    free(walk->first_access);
    free(walk->access_end);
}
