/*
 * Routine by routine, outer loops first, so that copies of a nest fold level by level: the loops of
 * one depth are sorted by parent, calls, file and first line, and one that begins within the lines
 * of those before it is one with them.
 */
#include "engine/program/graph/loop_folding.h"

#include <stdlib.h>

struct folded_loop {
    const struct ft_program_loops *loops;
    uint32_t index, parent; /* parent: the scope's first loop, or FT_NO_LOOP */
    uint32_t depth;         /* in the machine code */
};

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_calls(const struct folded_loop *a, const struct folded_loop *b)
{
    const struct ft_program_loop *left = &a->loops->items[a->index];
    const struct ft_program_loop *right = &b->loops->items[b->index];
    int order = compare_numbers(left->context_depth, right->context_depth);
    for (uint32_t i = 0; !order && i < left->context_depth; i++)
        order = ft_source_compare_calls(&a->loops->calls[left->first_call + i],
                                        &b->loops->calls[right->first_call + i]);
    return order;
}

/* What all loops of one scope have in common. */
static int compare_locations(const struct folded_loop *a, const struct folded_loop *b)
{
    int order = compare_numbers(a->depth, b->depth);
    if (!order)
        order = compare_numbers(a->parent, b->parent);
    if (!order)
        order = compare_numbers(a->loops->items[a->index].range.file,
                                b->loops->items[b->index].range.file);
    return order ? order : compare_calls(a, b);
}

static int compare_by_location_and_line(const void *left, const void *right)
{
    const struct folded_loop *a = left, *b = right;
    int order = compare_locations(a, b);
    if (!order)
        order = compare_numbers(a->loops->items[a->index].range.first_line,
                                b->loops->items[b->index].range.first_line);
    return order ? order : compare_numbers(a->index, b->index);
}

/* loops[0 .. count) are one; the first of them stands for all. */
static void join(struct ft_program_loop *items, const struct folded_loop *loops, size_t count)
{
    uint32_t first = loops[0].index;
    for (size_t i = 1; i < count; i++)
        if (loops[i].index < first)
            first = loops[i].index;
    struct ft_program_loop *whole = &items[first];
    whole->range.first_line = items[loops[0].index].range.first_line;
    for (size_t i = 0; i < count; i++) {
        struct ft_program_loop *loop = &items[loops[i].index];
        loop->same_as = first;
        if (loop->range.last_line > whole->range.last_line)
            whole->range.last_line = loop->range.last_line;
        if (loop->end_offset > whole->end_offset)
            whole->end_offset = loop->end_offset;
    }
}

/* The loops of one depth of a routine. */
static void fold_depth(struct ft_program_loops *loops, struct folded_loop *folded, size_t count)
{
    struct ft_program_loop *items = loops->items;
    for (size_t i = 0; i < count; i++) {
        uint32_t parent = items[folded[i].index].parent;
        folded[i].parent = parent == FT_NO_LOOP ? FT_NO_LOOP : items[parent].same_as;
    }
    qsort(folded, count, sizeof *folded, compare_by_location_and_line);
    for (size_t first = 0, end; first < count; first = end) {
        const struct ft_source_range *range = &items[folded[first].index].range;
        uint32_t last_line = range->last_line;
        for (end = first + 1; range->first_line && end < count; end++) {
            const struct ft_source_range *next = &items[folded[end].index].range;
            if (compare_locations(&folded[first], &folded[end]) != 0 ||
                next->first_line > last_line)
                break;
            if (next->last_line > last_line)
                last_line = next->last_line;
        }
        join(items, folded + first, end - first);
    }
}

static int compare_by_depth(const void *left, const void *right)
{
    const struct folded_loop *a = left, *b = right;
    int order = compare_numbers(a->depth, b->depth);
    return order ? order : compare_numbers(a->index, b->index);
}

bool ft_loops_fold(struct ft_program_loops *loops)
{
    struct folded_loop *folded = calloc(loops->count + 1, sizeof *folded);
    if (!folded)
        return false;
    for (uint32_t i = 0; i < loops->count; i++) { /* parents come first */
        uint32_t parent = loops->items[i].parent;
        folded[i].loops = loops;
        folded[i].index = i;
        folded[i].depth = parent == FT_NO_LOOP ? 0 : folded[parent].depth + 1;
    }
    for (size_t first = 0, end; first < loops->count; first = end) {
        uint32_t routine = loops->items[folded[first].index].routine;
        for (end = first + 1; end < loops->count && loops->items[end].routine == routine;)
            end++;
        qsort(folded + first, end - first, sizeof *folded, compare_by_depth);
        for (size_t from = first, to; from < end; from = to) {
            for (to = from + 1; to < end && folded[to].depth == folded[from].depth;)
                to++;
            fold_depth(loops, folded + from, to - from);
        }
    }
    free(folded);
    return true;
}
