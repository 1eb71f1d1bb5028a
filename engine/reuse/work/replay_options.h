/*
 * What the replay of one trace is asked for, and what it says at its end.
 */
#ifndef FT_ENGINE_REUSE_WORK_REPLAY_OPTIONS_H
#define FT_ENGINE_REUSE_WORK_REPLAY_OPTIONS_H

#include <stdatomic.h>

#include "engine/reuse/checkpoint/pieces.h"
#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/work/log_cuts.h"
#include "engine/reuse/work/sharing.h"
#include "engine/reuse/work/thread_reader.h"

struct ft_trace_replay_options {
    const uint64_t *block_bytes;
    size_t size_count;
    const char *kernel;
    struct ft_sharing sharing;
    bool pairs;            /* of references are wanted */
    bool data;             /* is wanted: all logs are read side by side, by one thread of ours */
    unsigned region_shift; /* as in ft_replay_limit */
    uint64_t memory_max;   /* of all stacks, and of what waits for them */
    const struct ft_process_limit *process_limit; /* or NULL */
    /* Private stacks by themselves: segments of one log that are replayed side by side, at least
     * 1, and accesses of one, 0 for a length of choice. */
    unsigned segments_at_once;
    struct ft_checkpoint_pieces *kept; /* of interrupted replays, or NULL */
    uint32_t trace, first_size;        /* in their keys */
    const atomic_bool *stop;           /* once true, work ends early; or NULL */
    uint64_t segment_accesses;
    bool is_alone; /* memory allows one segment at a time */
    /* Of a replay that several processes share, only private stacks: this one's part of the
     * trace's work, replayed into `kept` (and no histograms). */
    bool is_part;
    struct ft_work_range part;
    struct ft_listener listener;
};

/* What a replay took, or what would let it end well. */
struct ft_trace_replay_report {
    enum ft_replay_retry retry; /* after a failure */
    uint64_t memory_bytes;      /* of all stacks, and of what waited, at most */
    /* When there was not enough, of the process, and what of it stacks took; else 0. */
    uint64_t needed_bytes, needed_noted;
    double helper_cpu_seconds; /* of CPU, in other threads than the caller's */
    bool is_stopped;           /* early: a failure, but what was done is kept */
};

#endif
