/*
 * What decides are the branches of the blocks between the block's dominator and itself. A loop
 * among them with one exit that ran decides nothing.
 */
#include "engine/program/values/conditions.h"

#include "engine/program/values/strides.h"

/* Between more blocks than this nothing is told. */
#define BLOCKS_MAX 64

struct region {
    uint32_t blocks[BLOCKS_MAX]; /* local */
    unsigned count;
};

static bool add_block(struct region *region, uint32_t block)
{
    for (unsigned i = 0; i < region->count; i++)
        if (region->blocks[i] == block)
            return true;
    if (region->count == BLOCKS_MAX)
        return false;
    region->blocks[region->count++] = block;
    return true;
}

/* The forward predecessors of a block; false where there are others, but for heads of loops. */
static bool add_predecessors(const struct ft_routine_code *code, struct region *region,
                             uint32_t block)
{
    const struct ft_definition_order *order = code->order;
    uint32_t graph_block = ft_code_graph_block(code, block);
    if (order->entered[graph_block] || order->meets_all[graph_block])
        return false;
    for (uint32_t p = order->first_predecessor[graph_block];
         p < order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, order->predecessors[p]);
        if (from < block && !add_block(region, from))
            return false;
    }
    return true;
}

/* Whether where a block of the region goes on is the same in all turns. */
static bool end_stands_still(struct ft_value_sums *sums, uint32_t block, uint32_t around,
                             uint32_t loop)
{
    const struct ft_routine_code *code = sums->code;
    uint32_t last = code->first_instruction[block + 1] - 1, inner = ft_code_loop(code, block);
    const struct ft_instruction *instruction = ft_code_instruction(code, last);
    if (inner != around)
        return inner != FT_NO_LOOP && ft_loop_holds(code->loops, around, inner) &&
               sums->exit_target[inner - sums->def_use->first_loop] != FT_NO_BLOCK;
    if (instruction->flow == FT_FLOW_JUMP_INDIRECT || instruction->flow == FT_FLOW_UNKNOWN)
        return false;
    if (instruction->flow != FT_FLOW_BRANCH)
        return true;
    uint32_t flags = ft_value_used(sums->def_use, last, FT_PLACE_FLAGS);
    if (flags == FT_NO_VALUE)
        return false;
    struct ft_motion motion = ft_stride_of_value(sums, flags, block, loop);
    return ft_motion_is_none(&motion);
}

bool ft_way_stands_still(struct ft_value_sums *sums, uint32_t block, uint32_t loop)
{
    const struct ft_routine_code *code = sums->code;
    uint32_t dominator = code->order->dominator[ft_code_graph_block(code, block)];
    struct region region = {.count = 0};
    if (dominator == FT_NO_BLOCK || !add_predecessors(code, &region, block))
        return false;
    uint32_t first = ft_code_local_block(code, dominator), around = ft_code_loop(code, block);
    for (unsigned i = 0; i < region.count; i++)
        if ((region.blocks[i] != first && !add_predecessors(code, &region, region.blocks[i])) ||
            !end_stands_still(sums, region.blocks[i], around, loop))
            return false;
    return true;
}
