/*
 * When the slots run out, live slots are renumbered by their rank, which keeps their order, into a
 * table that has at least three free slots for each live one: the renumbering reads last[] once and
 * so costs little per miss (2-3 % of the time). For sparse footprints, where few of the numbered
 * blocks are ever touched, the table is at least a quarter of last[].
 */
#include "engine/reuse/stacks/stack.h"

#include <stdlib.h>
#include <string.h>

/* log2 of a power of two. */
static unsigned log2_of(uint64_t value)
{
    return 63U - (unsigned)__builtin_clzll(value);
}

static int reset_slots(struct ft_stack *stack, uint64_t live, struct ft_diag *diag)
{
    uint64_t wanted = 4 * (live + FT_TOUCH_BATCH / 2);
    if (wanted < stack->block_count / 4)
        wanted = stack->block_count / 4;
    if (wanted > FT_SLOTS_MAX)
        wanted = FT_SLOTS_MAX;
    uint64_t capacity = 1;
    while (capacity < wanted)
        capacity *= 2;
    if (live + 2 * FT_TOUCH_BATCH > capacity)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the program touches more than 2^32 blocks of %llu bytes",
                       1ULL << stack->shift);
    return ft_slots_reset(&stack->slots, capacity, live, diag);
}

int ft_stack_init(struct ft_stack *stack, uint64_t block_bytes, unsigned region_shift,
                  uint32_t reference_count, struct ft_diag *diag)
{
    *stack = (struct ft_stack){.shift = log2_of(block_bytes), .region_shift = region_shift};
    stack->large = stack->shift > region_shift;
    memset(stack->front, 0xff, sizeof stack->front);
    stack->misses = calloc(FT_TOUCH_BATCH + FT_MISSES_AHEAD, sizeof *stack->misses);
    if (!stack->misses)
        return ft_fail_memory(diag, "a batch of misses");
    int status = ft_tally_init(&stack->tally, reference_count, diag);
    return status ? status : reset_slots(stack, 0, diag);
}

int ft_stack_add_region(struct ft_stack *stack, uint32_t region, uint32_t block,
                        struct ft_diag *diag)
{
    if (stack->large) {
        int status = ft_zero_array_reserve(&stack->block_of_region,
                                           ((size_t)region + 1) * sizeof(uint32_t), diag);
        if (status)
            return status;
        ((uint32_t *)stack->block_of_region.items)[region] = block;
        if (block >= stack->block_count)
            stack->block_count = (uint64_t)block + 1;
    } else {
        stack->block_count = ((uint64_t)region + 1) << (stack->region_shift - stack->shift);
    }
    if (stack->block_count > FT_NO_BLOCK)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the program touches %llu regions of %llu KiB, more than replay with "
                       "blocks of %llu bytes can number; larger blocks can (option -b)",
                       region + 1ULL, 1ULL << stack->region_shift >> 10, 1ULL << stack->shift);
    return ft_zero_array_reserve(&stack->last, stack->block_count * sizeof(uint32_t), diag);
}

/* last[] is mapped in whole pages, so that a scan may go past its last block. */
#define SCAN_BLOCKS 16U

static bool all_zero(const uint32_t *slots)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < SCAN_BLOCKS; i++)
        any |= slots[i];
    return any == 0;
}

/* The slots move while their old ranks are still needed, so last[] is rewritten first. */
static int renumber(struct ft_stack *stack, struct ft_diag *diag)
{
    const unsigned levels = ft_slots_levels(&stack->slots);
    uint32_t *last = stack->last.items;
    for (uint64_t start = 0; start < stack->block_count; start += SCAN_BLOCKS) {
        if (all_zero(last + start)) /* most of a sparse footprint */
            continue;
        for (uint64_t block = start; block < start + SCAN_BLOCKS; block++)
            if (last[block])
                last[block] = ft_slots_rank(&stack->slots, last[block], levels) + 1;
    }
    return reset_slots(stack, stack->slots.live, diag);
}

int ft_stack_make_room(struct ft_stack *stack, uint32_t count, struct ft_diag *diag)
{
    FT_TRY(ft_tally_reserve(&stack->tally, count, diag));
    if (stack->keeps_first_touches)
        FT_TRY(ft_zero_array_reserve(
            &stack->first_touches,
            (stack->first_touch_count + count) * sizeof(struct ft_first_touch), diag));
    if (stack->slots.next + count > stack->slots.capacity)
        FT_TRY(renumber(stack, diag));
    return FT_OK;
}

int ft_stack_reserve(struct ft_stack *stack, struct ft_diag *diag)
{
    return ft_stack_make_room(stack, stack->miss_count, diag);
}

uint64_t ft_stack_blocks(const struct ft_stack *stack)
{
    uint64_t count = stack->slots.live + stack->ended_blocks;
    for (unsigned i = 0; i < FT_FRONT_BLOCKS; i++)
        count += stack->front[i] != FT_NO_BLOCK;
    return count;
}

#define PAGE_BYTES 4096U

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t ft_stack_block_bytes(const struct ft_stack *stack, uint64_t item_bytes)
{
    return min_u64(stack->block_count * item_bytes, ft_stack_blocks(stack) * PAGE_BYTES);
}

uint64_t ft_stack_bytes(const struct ft_stack *stack)
{
    uint64_t in_last = ft_stack_block_bytes(stack, sizeof(uint32_t));
    uint64_t first = stack->first_touch_count * sizeof(struct ft_first_touch);
    return in_last + ft_slots_bytes(stack->slots.capacity) + ft_tally_bytes(&stack->tally) +
           ft_tally_table_bytes(&stack->tally) + first + stack->block_of_region.bytes +
           (FT_TOUCH_BATCH + FT_MISSES_AHEAD) * sizeof *stack->misses;
}

void ft_stack_fini(struct ft_stack *stack)
{
    ft_zero_array_fini(&stack->block_of_region);
    ft_zero_array_fini(&stack->last);
    ft_zero_array_fini(&stack->first_touches);
    ft_slots_fini(&stack->slots);
    ft_tally_fini(&stack->tally);
    free(stack->misses);
    stack->misses = NULL;
}
