/*
 * The members of struct ft_replay, for the files that work on it (replay.c makes and frees it).
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPLAY_STATE_H
#define FT_ENGINE_REUSE_STACKS_REPLAY_STATE_H

#include "engine/reuse/stacks/kernel.h"
#include "engine/reuse/stacks/memory_limit.h"
#include "engine/reuse/stacks/pairs.h"
#include "engine/reuse/stacks/repetition_state.h"
#include "engine/reuse/stacks/spans.h"
#include "engine/reuse/stacks/thread_scopes.h"
#include "engine/reuse/stacks/touch_listener.h"
#include "engine/reuse/stacks/without_steps.h"
#include "formats/base/dense_ids.h"

#define FT_RECENT_REGIONS 512U

struct ft_reference_state {
    uint64_t accesses;
    uint64_t repeats;     /* touches of the block touched last, one at each size */
    int64_t stride;       /* FT_STRIDE_NONE, FT_STRIDE_MIXED, or that of all runs so far */
    uint32_t extra_bytes; /* bytes of an access after its first */
};

struct ft_replay {
    const struct ft_replay_kernel *kernel;
    struct ft_stack stacks[FT_BLOCK_SIZES_MAX];
    uint64_t block_bytes[FT_BLOCK_SIZES_MAX];
    struct ft_dense_ids large_ids[FT_BLOCK_SIZES_MAX]; /* of the sizes above 2 MiB */
    unsigned size_count;
    unsigned initialised;                  /* stacks */
    bool keeps_first_touches;              /* segment.h */
    struct ft_pairs *pairs;                /* NULL: not requested */
    struct ft_touch_listener *listener;    /* instead of the stacks, or NULL */
    struct ft_scope_times scope_times;     /* with pairs, of the current thread */
    struct ft_scope_walk scopes;           /* its steps are NULL if scopes are not followed */
    struct ft_thread_scopes threads;       /* those of the other threads */
    struct ft_without_steps without_steps; /* the current batch, if steps are skipped */
    uint32_t first_step;   /* references from here on are steps; UINT32_MAX: none is */
    uint32_t first_passed; /* likewise, if steps are skipped */

    unsigned region_shift; /* log2 of the bytes of a region */
    uint64_t memory_max;
    struct ft_memory_budget *budget; /* or NULL */
    uint64_t memory_noted;           /* in it */
    uint64_t memory_checked;         /* touches since memory was looked at */
    enum ft_replay_retry retry;
    struct ft_dense_ids regions;
    struct {
        uint64_t region; /* UINT64_MAX: none */
        uint32_t number;
    } recent[FT_RECENT_REGIONS]; /* direct-mapped cache of regions */
    uint8_t sizes_crossed[65];   /* [n]: how many sizes have a boundary between two addresses whose
                                    highest differing bit is n - 1; [0]: 0 */

    struct ft_reference_state *references;
    uint32_t reference_count;
    uint64_t access_count;
    uint64_t last_block; /* of the smallest size: the last one touched, once there is one */
    bool has_last_block;
    struct ft_zero_array counts;        /* uint64_t [ft_front_counter(...)] */
    uint64_t spans[FT_BLOCK_SIZES_MAX]; /* per size, touches minus accesses (spans.h) */

    struct ft_touch touches[FT_TOUCH_BATCH + FT_TOUCHES_AHEAD];
    size_t touch_count;
    uint32_t *weights; /* [row * size_count + size], FT_TOUCH_BATCH + 1 rows; row 0: all ones */
    size_t row_count;
    uint32_t times;    /* iterations that each iteration stands for (rows.h) */
    unsigned unit_row; /* row of weights that are all `times`, unless that is 1; 0: none yet */

    uint64_t *body; /* addresses of an iteration */
    size_t body_capacity;
    struct ft_repetition repetition;
    struct ft_repeated_pass pass;
};

#endif
