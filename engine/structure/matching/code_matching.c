#include "engine/structure/matching/code_matching.h"

static uint32_t block_at(const struct ft_flow_graph *graph, uint32_t module, uint64_t offset)
{
    size_t low = 0, high = graph->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ft_flow_block *block = &graph->blocks[middle];
        if (block->module < module || (block->module == module && block->offset < offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->block_count && graph->blocks[low].module == module &&
                   graph->blocks[low].offset == offset
               ? (uint32_t)low
               : FT_NO_BLOCK;
}

/* The block that a scope begins with: a loop's header, a routine's start or the first that ran. */
static uint32_t first_block(const struct ft_structure *structure, uint32_t scope, uint32_t index)
{
    if (structure->scopes.scopes[scope].kind == FT_SCOPE_LOOP)
        return structure->loops.items[index].header;
    const struct ft_routine *routine = &structure->routines.items[index];
    const uint32_t start = block_at(&structure->graph, routine->module, routine->start);
    return start == FT_NO_BLOCK ? structure->routines.blocks[routine->first_block] : start;
}

/* The scope of that kind which begins with a block, or holds it if it is a routine. */
static uint32_t scope_with(const struct ft_structure *structure, uint32_t block, uint8_t kind)
{
    if (kind == FT_SCOPE_ROUTINE)
        return structure->scope_of_routine[structure->routines.of_block[block]];
    const uint32_t loop = structure->loops.of_block[block];
    return loop != FT_NO_LOOP && structure->loops.items[loop].header == block
               ? structure->scope_of_loop[loop]
               : FT_NO_SCOPE;
}

void ft_match_same_build(const struct ft_scope_places sides[2], uint32_t *const modules[2],
                         struct ft_scope_matching *matching, unsigned side)
{
    const struct ft_structure *from = sides[side].structure, *to = sides[!side].structure;
    for (uint32_t i = 1; i < from->scopes.scope_count; i++) {
        const struct ft_scope *scope = &from->scopes.scopes[i];
        const uint32_t module =
            scope->module == FT_NO_MODULE ? FT_NO_MODULE : modules[side][scope->module];
        if (scope->kind < FT_SCOPE_ROUTINE || module == FT_NO_MODULE ||
            !ft_same_build(&from->scopes.modules[scope->module], &to->scopes.modules[module]))
            continue;
        uint32_t own = first_block(from, i, sides[side].items[i].index);
        uint32_t there = block_at(&to->graph, module, from->graph.blocks[own].offset);
        uint32_t found = there == FT_NO_BLOCK ? FT_NO_SCOPE : scope_with(to, there, scope->kind);
        if (found != FT_NO_SCOPE)
            matching->of[side][i] = (struct ft_scope_match){found, FT_MATCH_CODE};
    }
}

/* How many instructions of its routine stand before a block. */
static uint32_t instructions_before(const struct ft_structure *structure, uint32_t block)
{
    const struct ft_routine *routine =
        &structure->routines.items[structure->routines.of_block[block]];
    uint32_t count = 0;
    for (uint32_t i = 0; structure->routines.blocks[routine->first_block + i] != block; i++)
        count += structure->graph.blocks[structure->routines.blocks[routine->first_block + i]]
                     .instruction_count;
    return count;
}

/* The block of a routine with so many instructions before it, or FT_NO_BLOCK. */
static uint32_t block_behind(const struct ft_structure *structure, const struct ft_routine *routine,
                             uint32_t count)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < routine->block_count && before <= count; i++) {
        uint32_t block = structure->routines.blocks[routine->first_block + i];
        if (before == count)
            return block;
        before += structure->graph.blocks[block].instruction_count;
    }
    return FT_NO_BLOCK;
}

void ft_match_same_shape(const struct ft_scope_places sides[2], struct ft_scope_matching *matching,
                         unsigned side)
{
    const struct ft_structure *from = sides[side].structure, *to = sides[!side].structure;
    for (uint32_t i = 1; i < from->scopes.scope_count; i++) {
        const struct ft_scope_place *place = &sides[side].items[i];
        if (from->scopes.scopes[i].kind != FT_SCOPE_LOOP ||
            matching->of[side][place->routine].kind != FT_MATCH_SHAPE)
            continue;
        const uint32_t routine = matching->of[side][place->routine].scope;
        uint32_t before = instructions_before(from, from->loops.items[place->index].header);
        uint32_t there =
            block_behind(to, &to->routines.items[sides[!side].items[routine].index], before);
        uint32_t found = there == FT_NO_BLOCK ? FT_NO_SCOPE : scope_with(to, there, FT_SCOPE_LOOP);
        if (found != FT_NO_SCOPE)
            matching->of[side][i] = (struct ft_scope_match){found, FT_MATCH_SHAPE};
    }
}
