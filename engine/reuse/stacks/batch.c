/*
 * Takes a batch of touches through the kernel: compact addresses, room for what the kernel may add,
 * all sizes in one loop, then each size's misses; and at intervals a check of memory.
 */
#include "engine/reuse/stacks/batch.h"

#include "engine/reuse/stacks/replay_limits.h"
#include "engine/reuse/stacks/stack.h"

/* Memory is touched sparsely: of so many regions, each has few blocks of the smallest size. Looked
 * at whenever their number has doubled. Where pages are the regions, it stays at that. */
#define SPARSE_REGIONS 4096U
#define SPARSE_BLOCKS  4U /* of a region */

static uint64_t count_blocks(const struct ft_replay *replay)
{
    return replay->listener ? replay->listener->count_blocks(replay->listener)
                            : ft_stack_blocks(&replay->stacks[0]);
}

static int check_density(struct ft_replay *replay, struct ft_diag *diag)
{
    uint64_t count = replay->regions.count;
    if (count < SPARSE_REGIONS || (count & (count - 1)) ||
        replay->region_shift <= FT_PAGE_REGION_SHIFT ||
        replay->region_shift <= replay->stacks[0].shift ||
        count_blocks(replay) >= SPARSE_BLOCKS * count)
        return FT_OK;
    replay->retry = FT_RETRY_SMALLER_REGIONS;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the program touches its memory sparsely");
}

#define MEMORY_CHECK_TOUCHES (UINT64_C(1) << 14)

/* The kernel takes as many as it has rows for, and goes on with more. */
static int touch_pairs(struct ft_replay *replay, struct ft_diag *diag)
{
    struct ft_pair_notes notes = {
        .pairs = replay->pairs, .times = &replay->scope_times, .walk = &replay->scopes};
    int status = ft_scope_times_reserve(&replay->scope_times, &replay->scopes, diag);
    do {
        if (!status)
            status = ft_pairs_reserve(replay->pairs, replay->stacks, replay->size_count, diag);
        if (!status)
            replay->kernel->touch_pairs(replay->stacks, &notes, replay->size_count, replay->touches,
                                        replay->touch_count, replay->weights);
    } while (!status && notes.touch < replay->touch_count);
    replay->scopes.operation_count = 0;
    return status;
}

static int touch_batch(struct ft_replay *replay, struct ft_diag *diag)
{
    if (replay->pairs)
        return touch_pairs(replay, diag);
    if (replay->listener)
        return replay->listener->take(replay->listener, replay->stacks, replay->size_count,
                                      replay->touches, replay->touch_count, replay->weights, diag);
    replay->kernel->touch(replay->stacks, replay->size_count, replay->touches, replay->touch_count,
                          replay->weights, replay->counts.items);
    return FT_OK;
}

int ft_replay_flush(struct ft_replay *replay, struct ft_diag *diag)
{
    int status = touch_batch(replay, diag);
    for (unsigned s = 0; !status && !replay->listener && s < replay->size_count; s++) {
        status = ft_stack_reserve(&replay->stacks[s], diag);
        if (!status)
            replay->kernel->resolve(&replay->stacks[s]);
    }
    replay->memory_checked += replay->touch_count;
    if (!status && replay->memory_checked >= MEMORY_CHECK_TOUCHES) {
        replay->memory_checked = 0;
        status = ft_replay_check_memory(replay, 0, diag);
    }
    replay->touch_count = 0;
    replay->row_count = 1;
    replay->unit_row = 0;
    return status;
}

int ft_replay_number_region(struct ft_replay *replay, uint64_t region, uint32_t *ret_number,
                            struct ft_diag *diag)
{
    uint32_t known = replay->regions.count;
    uint32_t number;
    int status = ft_dense_ids_find(&replay->regions, region, &number, diag);
    if (!status && number == known && replay->listener)
        status = replay->listener->add_region(replay->listener, number,
                                              region << replay->region_shift, diag);
    for (unsigned s = 0; !status && number == known && s < replay->size_count; s++) {
        struct ft_stack *stack = &replay->stacks[s];
        uint32_t block = 0;
        if (stack->large)
            status =
                ft_dense_ids_find(&replay->large_ids[s],
                                  region >> (stack->shift - stack->region_shift), &block, diag);
        if (!status) {
            status = ft_stack_add_region(stack, number, block, diag);
            if (status == FT_ERROR_UNSUPPORTED)
                replay->retry = FT_RETRY_SMALLER_REGIONS;
        }
    }
    if (!status)
        *ret_number = number;
    return status;
}

int ft_replay_find_region(struct ft_replay *replay, uint64_t region, uint32_t *ret_number,
                          struct ft_diag *diag)
{
    uint32_t known = replay->regions.count;
    int status = ft_replay_number_region(replay, region, ret_number, diag);
    return !status && *ret_number == known ? check_density(replay, diag) : status;
}

int ft_replay_touch_rest(struct ft_replay *replay, uint64_t address, uint64_t blocks_after_first,
                         uint32_t reference, unsigned size_end, unsigned row, struct ft_diag *diag)
{
    const uint64_t block_bytes = replay->block_bytes[0];
    uint64_t boundary = address & ~(block_bytes - 1);
    int status = FT_OK;
    for (; !status && blocks_after_first; blocks_after_first--) {
        boundary += block_bytes;
        unsigned zeros = boundary ? (unsigned)__builtin_ctzll(boundary) : 63;
        unsigned end = replay->sizes_crossed[zeros + 1];
        status = ft_replay_touch(replay, boundary, reference, end < size_end ? end : size_end, row,
                                 diag);
    }
    return status;
}
