#include "engine/program/graph/unwind_parts.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

/* What is known of jumps into an extent and back. */
struct evidence {
    uint32_t from; /* the only extent that jumps here, or NOWHERE */
    uint32_t back; /* the extent that it jumps into the middle of, or NOWHERE */
    bool is_whole; /* called, or jumped to from several */
    bool is_part;  /* a jump into the middle, or back into the middle of `from` */
};

static bool starts(const struct ft_extent *extent, const struct ft_flow_block *block)
{
    return block->offset == extent->start;
}

static void see_edge(const struct ft_flow_graph *graph, const struct ft_block_edge *edge,
                     const uint32_t *of_block, const struct ft_extent *extents,
                     struct evidence *evidence)
{
    const uint32_t from = of_block[edge->from], to = of_block[edge->to];
    struct evidence *into = &evidence[to];
    const bool at_start = starts(&extents[to], &graph->blocks[edge->to]);
    switch (ft_flow_last_instruction(graph, edge->from)->flow) {
    case FT_FLOW_CALL:
    case FT_FLOW_CALL_INDIRECT:
        into->is_whole |= at_start;
        return;
    case FT_FLOW_BRANCH:
    case FT_FLOW_JUMP:
        if (from == to)
            return;
        into->is_whole |= into->from != NOWHERE && into->from != from;
        into->from = from;
        into->is_part |= !at_start;
        if (!at_start)
            evidence[from].back = to;
        return;
    default: /* the kernel, addresses in memory, the code before; exceptions go to the middle */
        into->is_whole |= from != to && at_start;
    }
}

/* Direct jumps to the middle of the extent that jumps here, taken or not. */
static void see_code(const struct ft_flow_graph *graph, uint32_t block, const uint32_t *of_block,
                     const struct ft_extent *extents, struct evidence *evidence)
{
    const struct ft_instruction *last = ft_flow_last_instruction(graph, block);
    struct evidence *found = &evidence[of_block[block]];
    if (found->from == NOWHERE || (last->flow != FT_FLOW_BRANCH && last->flow != FT_FLOW_JUMP))
        return;
    const struct ft_extent *from = &extents[found->from];
    const uint64_t target = graph->blocks[block].offset + (last->target - graph->blocks[block].pc);
    found->is_part |=
        from->module == graph->blocks[block].module && target > from->start && target < from->end;
}

bool ft_unwind_parts_find(const struct ft_flow_graph *graph, const uint32_t *of_block,
                          struct ft_extent *extents, uint32_t count)
{
    struct evidence *evidence = calloc(count + (size_t)1, sizeof *evidence);
    if (!evidence)
        return false;
    for (uint32_t i = 0; i < count; i++)
        evidence[i] = (struct evidence){.from = NOWHERE, .back = NOWHERE};
    for (size_t i = 0; i < graph->edge_count; i++)
        see_edge(graph, &graph->edges[i], of_block, extents, evidence);
    for (uint32_t b = 0; b < graph->block_count; b++)
        see_code(graph, b, of_block, extents, evidence);
    for (uint32_t i = 0; i < count; i++)
        extents[i].whole = i;
    for (uint32_t i = 0; i < count; i++) {
        const struct evidence *found = &evidence[i];
        uint32_t whole = found->from == NOWHERE ? found->back : found->from;
        bool is_part = found->from == NOWHERE || found->is_part;
        if (extents[i].has_name || found->is_whole || !is_part || whole == NOWHERE ||
            extents[whole].module != extents[i].module)
            continue;
        /* Of those that jump into each other and nothing else does, the last stands for all. */
        while (extents[whole].whole != whole)
            whole = extents[whole].whole;
        extents[i].whole = whole;
    }
    for (uint32_t i = 0; i < count; i++)
        while (extents[extents[i].whole].whole != extents[i].whole)
            extents[i].whole = extents[extents[i].whole].whole;
    free(evidence);
    return true;
}
