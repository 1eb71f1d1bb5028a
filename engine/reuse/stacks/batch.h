/*
 * Turns runs into touches, for the files that take runs.
 *
 * Touches are collected in a batch of up to FT_TOUCH_BATCH; ft_replay_flush feeds it to the kernel.
 * A touch counts at the sizes before its size_end, at each with the weight in its row of weights.
 * After a failure the replay can only be destroyed, and says what a retry could do better.
 */
#ifndef FT_ENGINE_REUSE_STACKS_BATCH_H
#define FT_ENGINE_REUSE_STACKS_BATCH_H

#include "engine/reuse/stacks/replay_state.h"
#include "formats/base/hash_table.h"

/* Feeds the batch to the kernel and starts another. */
int ft_replay_flush(struct ft_replay *replay, struct ft_diag *diag);
/* The number of a region (address >> region_shift); assigns a new one in all stacks if needed. */
int ft_replay_number_region(struct ft_replay *replay, uint64_t region, uint32_t *ret_number,
                            struct ft_diag *diag);

/* The same for a touched region that is not in `recent`. */
int ft_replay_find_region(struct ft_replay *replay, uint64_t region, uint32_t *ret_number,
                          struct ft_diag *diag);

/* From now on each iteration stands for `times` iterations. */
static inline void ft_replay_set_times(struct ft_replay *replay, uint32_t times)
{
    replay->times = times;
    replay->unit_row = 0;
}

/* The row of weights of a touch that counts fully at all sizes; such a touch must follow. */
static inline unsigned ft_replay_unit_row(struct ft_replay *replay)
{
    if (replay->times == 1 || replay->unit_row)
        return replay->unit_row;
    replay->unit_row = (unsigned)replay->row_count++;
    for (unsigned s = 0; s < replay->size_count; s++)
        replay->weights[(size_t)replay->unit_row * replay->size_count + s] = replay->times;
    return replay->unit_row;
}

/* Adds one touch; there must be room for it. */
static inline int ft_replay_touch(struct ft_replay *replay, uint64_t address, uint32_t reference,
                                  unsigned size_end, unsigned row, struct ft_diag *diag)
{
    uint64_t region = address >> replay->region_shift;
    uint32_t slot = (uint32_t)(ft_hash_mix(region) % FT_RECENT_REGIONS);
    if (__builtin_expect(replay->recent[slot].region != region, 0)) {
        uint32_t number;
        int status = ft_replay_find_region(replay, region, &number, diag);
        if (status)
            return status;
        replay->recent[slot].region = region;
        replay->recent[slot].number = number;
    }
    uint64_t offset = address & ((UINT64_C(1) << replay->region_shift) - 1);
    replay->touches[replay->touch_count++] = (struct ft_touch){
        .compact_address = (uint64_t)replay->recent[slot].number << replay->region_shift | offset,
        .reference = reference,
        .weights = (uint16_t)row,
        .size_end = (uint8_t)size_end,
    };
    return FT_OK;
}

/* Blocks of the smallest size that an access covers, less one. */
static inline uint64_t ft_replay_blocks_after_first(const struct ft_replay *replay,
                                                    uint64_t address, uint32_t extra_bytes)
{
    uint64_t mask = replay->block_bytes[0] - 1;
    return ((address & mask) + extra_bytes) >> replay->stacks[0].shift;
}

/* The touches of an access after its first: at each boundary of the smallest size inside it, one
 * touch of the sizes that have a boundary there too. There must be room for them. */
int ft_replay_touch_rest(struct ft_replay *replay, uint64_t address, uint64_t blocks_after_first,
                         uint32_t reference, unsigned size_end, unsigned row, struct ft_diag *diag);

/* Takes an entry of a run that is a step of the program (scope_walk.h). Changes nothing if it
 * fails. */
static inline int ft_replay_step(struct ft_replay *replay, uint32_t reference, struct ft_diag *diag)
{
    return ft_scope_walk_step(&replay->scopes, reference, replay->touch_count, diag);
}

/* Takes a run of at most 2^31 iterations, each of which fits into a batch, as few weighted
 * iterations as its block crossings allow (run_walk.c). Overwrites `addresses`. */
int ft_replay_walk(struct ft_replay *replay, const uint32_t *references, uint64_t *addresses,
                   const int64_t *strides, uint32_t count, uint64_t iteration_count,
                   struct ft_diag *diag);

#endif
