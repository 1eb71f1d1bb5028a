/*
 * The contents of scopes: blocks with the work of one execution, edges, and references with their
 * source lines, each in its innermost scope.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/group_references.h"
#include "engine/program/structure_building.h"

static uint32_t scope_of_block(const struct ft_structure_building *building, uint32_t block)
{
    uint32_t loop = building->made.loops.of_block[block];
    return loop == FT_NO_LOOP
               ? building->made.scope_of_routine[building->made.routines.of_block[block]]
               : building->made.scope_of_loop[loop];
}

static void count_work(const struct ft_instruction *instruction, struct ft_block *block)
{
    block->instruction_count += !instruction->accesses_only;
    block->mix[instruction->mix_class] += !instruction->accesses_only;
    block->flops += ft_instruction_flops(instruction);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct ft_access *access = &instruction->accesses[i];
        if (access->kind != FT_PREFETCH)
            block->mix[access->kind == FT_LOAD ? FT_MIX_LOAD : FT_MIX_STORE] += access->elements;
    }
}

bool ft_building_add_blocks(struct ft_structure_building *building)
{
    const struct ft_flow_graph *graph = &building->made.graph;
    struct ft_scopes *scopes = &building->made.scopes;
    scopes->blocks = calloc(graph->block_count + 1, sizeof *scopes->blocks);
    scopes->edges = malloc((graph->edge_count + 1) * sizeof *scopes->edges);
    if (!scopes->blocks || !scopes->edges)
        return false;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const struct ft_flow_block *from = &graph->blocks[b];
        struct ft_block *block = &scopes->blocks[b];
        block->scope = scope_of_block(building, b);
        block->module = from->module;
        block->offset = from->offset;
        block->code_bytes = from->code_bytes;
        block->execution_count = from->execution_count;
        for (uint32_t i = 0; i < from->instruction_count; i++)
            count_work(graph->instructions[from->first_instruction + i], block);
    }
    scopes->block_count = graph->block_count;
    if (graph->edge_count)
        memcpy(scopes->edges, graph->edges, graph->edge_count * sizeof *scopes->edges);
    scopes->edge_count = graph->edge_count;
    return true;
}

int ft_building_add_references(struct ft_structure_building *building, struct ft_diag *diag)
{
    const struct ft_structure_input *input = building->input;
    struct ft_scopes *scopes = &building->made.scopes;
    scopes->references = calloc(input->reference_count + 1, sizeof *scopes->references);
    if (!scopes->references)
        return ft_fail_memory(diag, "the references of a program");
    for (uint32_t i = 0; i < input->reference_count; i++) {
        const struct ft_reference *from = &input->references[i];
        unsigned accesses = from->kind == FT_FETCH ? 0 : from->access_index + 1U;
        uint32_t block = ft_flow_graph_block_at(&building->made.graph, from->pc, accesses);
        if (block == FT_NO_BLOCK)
            return ft_fail(diag, FT_ERROR_DATA,
                           "reference %" PRIu32 " at 0x%" PRIx64 " is in no unit", i, from->pc);
        uint32_t scope = scopes->blocks[block].scope;
        const struct ft_module *module = ft_building_module(building, from->module);
        scopes->references[i] = (struct ft_scoped_reference){
            .offset = from->offset,
            .module = from->module,
            .scope = scope,
            .block = block,
            .group = i,
            .size_bytes = from->size_bytes,
            .line = module
                        ? ft_source_line(module, from->offset, building->made.context_depth[scope])
                              .first_line
                        : 0,
            .access_index = from->access_index,
            .kind = from->kind,
        };
    }
    scopes->reference_count = scopes->group_count = input->reference_count;
    return input->strides ? ft_group_references(&building->made, input->strides, diag) : FT_OK;
}
