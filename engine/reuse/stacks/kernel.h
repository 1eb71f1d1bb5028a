/*
 * The two inner loops of replay, in one variant for each instruction set (docs/replay.md,
 * "Kernels").
 *
 * touch: looks up a batch of touches among the 16 most recent blocks of every size; counts what it
 * finds there, and adds the others to the size's list of misses. resolve: looks up one size's
 * misses in its time slots and counts them. touch_pairs: like touch, for pairs of references
 * (pairs.h), whose rows are the references of the misses. None allocates or fails: the caller has
 * made room (ft_stack_reserve). All variants give the same counts; "c" is the reference.
 */
#ifndef FT_ENGINE_REUSE_STACKS_KERNEL_H
#define FT_ENGINE_REUSE_STACKS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/reuse/stacks/slots.h"
#include "engine/reuse/stacks/tally.h"
#include "formats/base/block_sizes.h"

#define FT_FRONT_BLOCKS  16U
#define FT_TOUCH_BATCH   4096U
#define FT_TOUCHES_AHEAD 16U /* spare touches that prefetching may look at */
#define FT_MISSES_AHEAD  64U /* spare misses of block 0 that prefetching may look at */
#define FT_NO_BLOCK      UINT32_MAX

/* log2 of the bytes of a region: by default, and of a page. */
#define FT_REGION_SHIFT      21U
#define FT_PAGE_REGION_SHIFT 12U

struct ft_touch {
    uint64_t compact_address; /* compact address: number of the region << its bits | offset in it */
    uint32_t reference;
    uint16_t weights; /* row of the batch's weights; row 0 is all ones */
    uint8_t size_end; /* it counts at the sizes before this one */
};

struct ft_miss {
    uint32_t block;
    uint32_t evicted; /* the block that left the front for it, or FT_NO_BLOCK */
    uint32_t reference;
    uint32_t weight;
};

/* The first touch of a block in a segment (segment.h). */
struct ft_first_touch {
    uint32_t block;
    uint32_t reference;
};

/* The LRU stack of one block size: the front, and below it the blocks that have a time slot. */
struct ft_stack {
    uint32_t front[FT_FRONT_BLOCKS]; /* most recent first; FT_NO_BLOCK: not filled yet */
    unsigned shift;                  /* log2 of the block size */
    unsigned region_shift;           /* log2 of the bytes of a region */
    bool large;                      /* blocks larger than a region: numbers from block_of_region */
    struct ft_zero_array block_of_region; /* uint32_t [region] */
    struct ft_zero_array last; /* uint32_t [block]: its slot, 0 in the front or never seen */
    uint64_t block_count;      /* numbers that blocks may have: 0 .. block_count - 1 */
    struct ft_slots slots;
    struct ft_tally tally;
    struct ft_miss *misses; /* room for FT_TOUCH_BATCH, and FT_MISSES_AHEAD to spare */
    uint32_t miss_count;
    bool keeps_first_touches;           /* of blocks that are cold, in their order */
    struct ft_zero_array first_touches; /* struct ft_first_touch [] */
    uint64_t first_touch_count;
    uint64_t ended_blocks; /* of an ended stream that was joined without order (segment.h) */
};

/* Counts of the front: those of one distance at all sizes are adjacent, padded to a power of two,
 * because an access mostly finds its blocks at few different depths. */
static inline unsigned ft_front_row(unsigned size_count)
{
    return size_count > 1 ? 2U << (31 - __builtin_clz(size_count - 1)) : 1;
}

static inline size_t ft_front_counter(uint32_t reference, unsigned distance, unsigned size,
                                      unsigned size_count)
{
    return ((size_t)reference * FT_FRONT_BLOCKS + distance) * ft_front_row(size_count) + size;
}

struct ft_pairs;
struct ft_scope_times;
struct ft_scope_walk;

/* Pairs, and where the program is; the operations of `walk` are those of the batch. */
struct ft_pair_notes {
    struct ft_pairs *pairs;
    struct ft_scope_times *times;
    const struct ft_scope_walk *walk;
    size_t touch, operation; /* of the batch: the next ones */
};

struct ft_replay_kernel {
    const char *name;
    bool (*is_supported)(void);
    /* weights: [row * stack_count + size]; counts: [ft_front_counter(reference, distance, size)] */
    void (*touch)(struct ft_stack *stacks, unsigned stack_count, const struct ft_touch *touches,
                  size_t touch_count, const uint32_t *weights, uint64_t *counts);
    void (*touch_pairs)(struct ft_stack *stacks, struct ft_pair_notes *notes, unsigned stack_count,
                        const struct ft_touch *touches, size_t touch_count,
                        const uint32_t *weights);
    void (*resolve)(struct ft_stack *stack);
};

/* Names of the kernels that this processor supports, fastest first; NULL after the last. */
const char *ft_replay_kernel_at(size_t index);
/* The kernel of this name, or for NULL the fastest that this processor supports. */
int ft_replay_kernel_choose(const char *name, const struct ft_replay_kernel **ret_kernel,
                            struct ft_diag *diag);

extern const struct ft_replay_kernel ft_replay_kernel_c;
extern const struct ft_replay_kernel ft_replay_kernel_avx2;
extern const struct ft_replay_kernel ft_replay_kernel_avx512;

#endif
