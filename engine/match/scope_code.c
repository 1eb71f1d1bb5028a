#include "engine/match/scope_code.h"

#include <stdlib.h>

#define NO_BLOCK UINT32_MAX

/* The block of a module that begins at an offset. */
static uint32_t block_at(const struct ft_scopes *scopes, uint32_t module, uint64_t offset)
{
    size_t low = 0, high = scopes->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ft_block *block = &scopes->blocks[middle];
        if (block->module < module || (block->module == module && block->offset < offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low < scopes->block_count && scopes->blocks[low].module == module &&
                   scopes->blocks[low].offset == offset
               ? (uint32_t)low
               : NO_BLOCK;
}

/* The routine with a block, or the loop, if it is as deep as `like`: of several loops that one of
 * the source became, the first alone is known by its header. */
static uint32_t scope_with(const struct ft_scopes *scopes, uint32_t block,
                           const struct ft_scope *like)
{
    const uint32_t scope = scopes->blocks[block].scope;
    if (like->kind == FT_SCOPE_ROUTINE)
        return ft_scope_routine(scopes, scope);
    return scopes->scopes[scope].kind == FT_SCOPE_LOOP &&
                   scopes->scopes[scope].loop_depth == like->loop_depth
               ? scope
               : FT_NO_MATCH;
}

static bool set_match(struct ft_match *match, const struct ft_scopes *there, uint32_t block,
                      const struct ft_scope *like, enum ft_match_kind kind)
{
    const uint32_t found = block == NO_BLOCK ? FT_NO_MATCH : scope_with(there, block, like);
    if (found != FT_NO_MATCH)
        *match = (struct ft_match){found, (uint8_t)kind};
    return found != FT_NO_MATCH;
}

void ft_match_same_build(const struct ft_scope_locations sides[2], uint32_t *const modules[2],
                         struct ft_matching *matching, unsigned side)
{
    const struct ft_scopes *from = sides[side].scopes, *to = sides[!side].scopes;
    struct ft_match *of = matching->of[side];
    for (uint32_t i = 1; i < from->scope_count; i++) {
        const struct ft_scope *scope = &from->scopes[i];
        const uint32_t module =
            scope->module == FT_NO_MODULE ? FT_NO_MODULE : modules[side][scope->module];
        if (scope->kind >= FT_SCOPE_ROUTINE && module != FT_NO_MODULE &&
            ft_same_build(&from->modules[scope->module], &to->modules[module]))
            set_match(&of[i], to, block_at(to, module, scope->start_offset), scope, FT_MATCH_CODE);
    }
    /* A routine may run on from another location than its start: by the first of its blocks that
     * both have. */
    for (size_t b = 0; b < from->block_count; b++) {
        const struct ft_block *block = &from->blocks[b];
        const uint32_t routine = ft_scope_routine(from, block->scope);
        const uint32_t module =
            block->module == FT_NO_MODULE ? FT_NO_MODULE : modules[side][block->module];
        if (of[routine].kind == FT_MATCH_NONE && module != FT_NO_MODULE &&
            from->scopes[routine].kind == FT_SCOPE_ROUTINE &&
            ft_same_build(&from->modules[block->module], &to->modules[module]))
            set_match(&of[routine], to, block_at(to, module, block->offset), &from->scopes[routine],
                      FT_MATCH_CODE);
    }
}

/* ---- shapes ---- */

/* The blocks of routines in the order of their code. */
struct routine_block {
    uint32_t routine;
    uint32_t before; /* instructions of the routine */
    uint32_t block;
};

static int compare_routine_blocks(const void *left, const void *right)
{
    const struct routine_block *a = left, *b = right;
    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

static int compare_locations(const void *left, const void *right)
{
    const struct routine_block *a = left, *b = right;
    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return (a->before > b->before) - (a->before < b->before);
}

static struct routine_block *list_blocks(const struct ft_scopes *scopes)
{
    struct routine_block *list = calloc(scopes->block_count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < scopes->block_count; i++)
        list[i] = (struct routine_block){ft_scope_routine(scopes, scopes->blocks[i].scope), 0, i};
    if (list && scopes->block_count)
        qsort(list, scopes->block_count, sizeof *list, compare_routine_blocks);
    for (size_t i = 1; list && i < scopes->block_count; i++)
        if (list[i].routine == list[i - 1].routine)
            list[i].before =
                list[i - 1].before + scopes->blocks[list[i - 1].block].instruction_count;
    return list;
}

bool ft_match_same_shape(const struct ft_scope_locations sides[2], struct ft_matching *matching,
                         unsigned side)
{
    const struct ft_scopes *from = sides[side].scopes, *to = sides[!side].scopes;
    struct ft_match *of = matching->of[side];
    struct routine_block *blocks = list_blocks(from), *other_blocks = list_blocks(to);
    for (size_t i = 0; blocks && other_blocks && i < from->block_count; i++) {
        const struct ft_block *block = &from->blocks[blocks[i].block];
        const struct ft_scope *loop = &from->scopes[block->scope];
        if (loop->kind != FT_SCOPE_LOOP || loop->start_offset != block->offset ||
            of[blocks[i].routine].kind != FT_MATCH_SHAPE)
            continue;
        const struct routine_block wanted = {of[blocks[i].routine].item, blocks[i].before, 0};
        const struct routine_block *found = bsearch(&wanted, other_blocks, to->block_count,
                                                    sizeof *other_blocks, compare_locations);
        set_match(&of[block->scope], to, found ? found->block : NO_BLOCK, loop, FT_MATCH_SHAPE);
    }
    bool complete = blocks && other_blocks;
    free(blocks);
    free(other_blocks);
    return complete;
}
