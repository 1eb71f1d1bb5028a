/*
 * Who touched a block last, and when: for each block of one size the reference and the time of its
 * last touch, and for each pair of references (source, sink) between which blocks are reused, and
 * each scope that carries the reuse, a row of counts. Time advances when a scope is entered or
 * starts another iteration: the carrying scope is the deepest active one that had been entered by
 * the time of the last touch, and carries the reuse across iterations if the current iteration
 * started later (docs/replay.md, "Carrying scope"). Threads that share a stack have separate times,
 * and no scope carries a reuse of what another thread touched last.
 *
 * The kernels count touches by row where plain replay counts them by reference (kernel.h): the
 * front here, longer distances and cold touches in the stacks' tallies, whose references are these
 * rows. A row serves all sizes, because the last touch of a block is mostly that of the larger
 * blocks around it as well.
 *
 * ft_pairs_reserve makes room, so that kernels neither allocate nor fail.
 */
#ifndef FT_ENGINE_REUSE_STACKS_PAIRS_H
#define FT_ENGINE_REUSE_STACKS_PAIRS_H

#include "engine/program/scope_walk.h"
#include "engine/reuse/stacks/kernel.h"

struct ft_pair_slot {
    uint32_t source;  /* reference + 1; 0: a first touch */
    uint32_t sink;    /* reference */
    uint32_t carrier; /* 2 * scope, + 1 if it carries the reuse across iterations; or one of the
                         values below */
    uint32_t row;     /* 0: the slot is free */
};
#define FT_NO_CARRIER      UINT32_MAX       /* of first touches, and if scopes are not followed */
#define FT_CARRIER_THREADS (UINT32_MAX - 1) /* none: another thread touched the block last */

struct ft_timed_scope {
    uint64_t iterated; /* when the current iteration started */
    uint32_t carrier;  /* 2 * scope */
};

/* So many of the deepest scopes are compared at once. */
#define FT_SCOPES_AT_ONCE 8U

/* The scopes of a thread as the kernel follows them, the same for all sizes. */
struct ft_scope_times {
    struct ft_timed_scope *levels; /* [0]: the whole program, or FT_NO_CARRIER */
    uint64_t *entered; /* [FT_SCOPES_AT_ONCE + level], when it was entered; zero before the first */
    size_t depth, capacity, entered_capacity;
    uint64_t now;
    /* An owner is (time << thread_bits | thread) << reference_bits | reference + 1. */
    unsigned reference_bits, thread_bits;
    uint32_t thread;
};

struct ft_pairs {
    /* uint64_t [block] of each size: of its last touch (above), or 0 */
    struct ft_zero_array owners[FT_BLOCK_SIZES_MAX];
    struct ft_zero_array counts;   /* uint64_t [ft_front_counter(row, ...)]; row 0 unused */
    struct ft_zero_array repeats;  /* uint64_t [row]: in addition: at distance 0 of every size */
    struct ft_pair_slot *slots;    /* open addressing, linear probing */
    unsigned slot_bits;            /* log2 of how many */
    uint32_t row_count, row_limit; /* at most half of the slots */
};

/* follows: whether scopes will be followed; threads are numbered from 0. */
int ft_scope_times_init(struct ft_scope_times *times, bool follows, uint32_t reference_count,
                        uint32_t thread, uint32_t thread_count, struct ft_diag *diag);
/* Makes room for the operations of a batch, and makes sure that time does not overflow in it. */
int ft_scope_times_reserve(struct ft_scope_times *times, const struct ft_scope_walk *walk,
                           struct ft_diag *diag);
/* Memory in use. */
static inline uint64_t ft_scope_times_bytes(const struct ft_scope_times *times)
{
    return times->capacity * sizeof *times->levels +
           times->entered_capacity * sizeof *times->entered;
}
void ft_scope_times_fini(struct ft_scope_times *times);

/* Makes room for all blocks, and for the rows of at least one touch. */
int ft_pairs_reserve(struct ft_pairs *pairs, struct ft_stack *stacks, unsigned size_count,
                     struct ft_diag *diag);
/* Upper bound of the memory in use, without the stacks. */
uint64_t ft_pairs_bytes(const struct ft_pairs *pairs, const struct ft_stack *stacks,
                        unsigned size_count);
/* The pairs of a size, in order, with their histograms. */
int ft_pairs_finish(const struct ft_pairs *pairs, const struct ft_stack *stacks,
                    unsigned size_count, unsigned size, struct ft_reuse_pairs *ret_pairs,
                    struct ft_diag *diag);
void ft_pairs_fini(struct ft_pairs *pairs);

static inline void ft_scope_times_apply(struct ft_scope_times *times,
                                        const struct ft_scope_operation *operation)
{
    times->depth = operation->depth + (size_t)1;
    if (operation->scope == FT_SCOPE_LEFT)
        return;
    struct ft_timed_scope *level = &times->levels[operation->depth];
    level->iterated = ++times->now;
    if (operation->scope != FT_SCOPE_ITERATES) {
        times->entered[FT_SCOPES_AT_ONCE + operation->depth] = times->now;
        level->carrier = 2 * operation->scope;
    }
}

/* The owner of a block that a reference touches now. */
static inline uint64_t ft_scope_times_owner(const struct ft_scope_times *times, uint32_t reference)
{
    const uint64_t thread = times->now << times->thread_bits | times->thread;
    return thread << times->reference_bits | (reference + 1);
}

/* The deepest level that had been entered by that time. */
static inline size_t ft_scope_times_level(const struct ft_scope_times *times, uint64_t time)
{
    const uint64_t *deepest = times->entered + times->depth; /* the last ones, up to depth - 1 */
    unsigned later = 0;
    for (unsigned i = 0; i < FT_SCOPES_AT_ONCE; i++)
        later += deepest[i] > time;
    size_t level = times->depth - 1 - later;
    if (__builtin_expect(later == FT_SCOPES_AT_ONCE, 0)) {
        size_t low = 0; /* which was entered by then */
        for (size_t high = level + 1; high - low > 1;) {
            const size_t middle = low + (high - low) / 2;
            if (times->entered[FT_SCOPES_AT_ONCE + middle] > time)
                high = middle;
            else
                low = middle;
        }
        level = low;
    }
    return level;
}

/* What carries the reuse of a block, by its last owner. */
static inline uint32_t ft_scope_times_carrier(const struct ft_scope_times *times, uint64_t owner)
{
    const uint64_t threads = (UINT64_C(1) << times->thread_bits) - 1;
    owner >>= times->reference_bits;
    if ((owner & threads) != times->thread)
        return FT_CARRIER_THREADS;
    const uint64_t time = owner >> times->thread_bits;
    const struct ft_timed_scope *level = &times->levels[ft_scope_times_level(times, time)];
    return level->carrier | (time < level->iterated);
}

/* The slot of a pair among 2^bits at which probing starts. */
static inline uint64_t ft_pair_hash(uint32_t source, uint32_t sink, uint32_t carrier, unsigned bits)
{
    const uint64_t key = source * UINT64_C(0x9e3779b97f4a7c15) +
                         sink * UINT64_C(0xd1342543de82ef95) +
                         carrier * UINT64_C(0xbf58476d1ce4e5b9);
    return key >> (64 - bits);
}

/* The row of a pair, a new one if it has none. No pair is all zero, as a free slot is: first
 * touches have no carrier. */
static inline uint32_t ft_pairs_row(struct ft_pairs *pairs, uint32_t source, uint32_t sink,
                                    uint32_t carrier)
{
    const uint64_t mask = (UINT64_C(1) << pairs->slot_bits) - 1;
    for (uint64_t i = ft_pair_hash(source, sink, carrier, pairs->slot_bits);; i++) {
        struct ft_pair_slot *slot = &pairs->slots[i & mask];
        if (__builtin_expect(
                slot->source == source && slot->sink == sink && slot->carrier == carrier, 1))
            return slot->row;
        if (slot->row == 0) {
            *slot = (struct ft_pair_slot){source, sink, carrier, ++pairs->row_count};
            return slot->row;
        }
    }
}

#endif
