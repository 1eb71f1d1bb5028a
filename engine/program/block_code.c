#include "engine/program/block_code.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/dependences.h"

static bool has_code(const struct ft_flow_graph *graph)
{
    for (size_t i = 0; i < graph->instruction_count; i++)
        if (graph->units[i]->kind != FT_UNIT_REFERENCES)
            return true;
    return false;
}

int ft_block_code_copy(struct ft_structure *structure, struct ft_diag *diag)
{
    const struct ft_flow_graph *graph = &structure->graph;
    struct ft_scopes *scopes = &structure->scopes;
    size_t at = 0;
    if (!has_code(graph))
        return FT_OK;
    for (size_t i = 0; i < graph->instruction_count; i++)
        scopes->code_bytes += graph->instructions[i]->length;
    scopes->code = calloc(scopes->code_bytes + 1, 1);
    if (!scopes->code)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t i = 0; i < graph->instruction_count; i++) {
        const struct ft_instruction *instruction = graph->instructions[i];
        if (graph->units[i]->kind != FT_UNIT_REFERENCES)
            memcpy(scopes->code + at, ft_unit_code(graph->units[i], instruction),
                   instruction->length);
        at += instruction->length;
    }
    return FT_OK;
}

/* Per instruction, of the innermost loop around it. */
static void list_classes(const struct ft_dependences *dependences, uint8_t *classes)
{
    for (size_t l = 0; l < dependences->loop_count; l++) {
        const struct ft_loop_dependences *loop = &dependences->loops[l];
        for (uint32_t n = 0; n < loop->node_count; n++) {
            const struct ft_dependence_node *node = &loop->nodes[n];
            const bool is_fed = node->load_class == FT_LOAD_CHASING && !node->in_chain;
            if (node->instruction != FT_NO_BLOCK)
                classes[node->instruction] = is_fed ? FT_LOAD_INDIRECT : node->load_class;
        }
    }
}

static void class_references(const struct ft_structure *structure, const uint8_t *classes,
                             struct ft_scopes *scopes)
{
    for (size_t r = 0; r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        const struct ft_flow_block *block = &structure->graph.blocks[reference->block];
        const uint32_t instruction = ft_flow_graph_instruction_at(
            &structure->graph, block->pc + (reference->offset - block->offset),
            reference->access_index + 1U);
        const uint8_t class = instruction == FT_NO_BLOCK ? FT_LOADS_NOTHING : classes[instruction];
        if (reference->kind == FT_LOAD)
            scopes->load_classes[r] = class == FT_LOADS_NOTHING ? FT_LOAD_INDEPENDENT : class;
    }
}

int ft_block_code_add(struct ft_structure *structure, struct ft_diag *diag)
{
    struct ft_scopes *scopes = &structure->scopes;
    struct ft_dependences dependences;
    FT_TRY(ft_block_code_copy(structure, diag));
    if (!scopes->code)
        return FT_OK;
    FT_TRY(ft_dependences_find(&structure->graph, &structure->routines, &structure->loops,
                               FT_ALL_ROUTINES, false, &dependences, diag));
    uint8_t *classes = calloc(structure->graph.instruction_count + 1, sizeof *classes);
    scopes->load_classes = calloc(scopes->reference_count + 1, sizeof *scopes->load_classes);
    if (classes && scopes->load_classes) {
        list_classes(&dependences, classes);
        class_references(structure, classes, scopes);
    }
    free(classes);
    ft_dependences_fini(&dependences);
    return classes && scopes->load_classes ? FT_OK : ft_fail_memory(diag, "the loads of a program");
}
