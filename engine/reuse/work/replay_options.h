/*
 * What the replay of one trace is asked for, and what it reports when it ends.
 */
#ifndef FT_ENGINE_REUSE_WORK_REPLAY_OPTIONS_H
#define FT_ENGINE_REUSE_WORK_REPLAY_OPTIONS_H

#include <stdatomic.h>

#include "engine/reuse/checkpoint/pieces.h"
#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/work/log_cuts.h"
#include "engine/reuse/work/sharing.h"
#include "engine/reuse/work/thread_reader.h"
#include "formats/base/block_sizes.h"

/* What the user asks for: the same for all traces and passes. */
struct ft_trace_replay_options {
    struct ft_block_sizes sizes;
    const char *kernel; /* NULL: the fastest that this processor supports */
    struct ft_sharing sharing;
    bool pairs;          /* of references */
    bool data;           /* then all logs are read side by side, serially */
    uint64_t memory_max; /* of all stacks, and of waiting segments */
    const struct ft_process_limit *process_limit; /* or NULL */
    /* Private stacks by themselves: segments of one log that are replayed in parallel, at least 1,
     * and accesses per segment, 0: chosen automatically. */
    unsigned segments_at_once;
    uint64_t segment_accesses;
};

/* One of the traces, or this process's part of it. */
struct ft_replay_subject {
    struct ft_trace *trace;
    uint32_t number;                     /* of the trace, in the keys of pieces */
    struct ft_checkpoint_pieces *pieces; /* of an interrupted replay, or NULL */
    const atomic_bool *stop;             /* once true, the replay ends early; or NULL */
    struct ft_listener listener;
    /* If several processes share a replay of private stacks: the part of the trace's work that this
     * one replays, into `pieces` without histograms. */
    bool is_part;
    struct ft_work_range part;
    struct ft_structure *structure; /* gets the program's code, without its scopes, or NULL */
};

/* One pass over a trace: which of the sizes, and how. */
struct ft_replay_pass {
    const struct ft_trace_replay_options *options;
    const struct ft_replay_subject *subject;
    struct ft_block_sizes sizes;
    uint32_t first_size;   /* of the pass, among those of the options */
    unsigned region_shift; /* as in ft_replay_limit */
    bool is_alone;         /* memory allows one segment at a time */
    unsigned segments_at_once;
    uint64_t segment_accesses;
    struct ft_listener listener;
};

/* What a replay used, or how a failed one could be retried. */
struct ft_trace_replay_report {
    enum ft_replay_retry retry; /* after a failure */
    uint64_t memory_bytes;      /* peak of all stacks and waiting segments */
    /* If the process exceeded its limit: how much it needed, and how much of that stacks took; else
     * 0. */
    uint64_t needed_bytes, needed_noted;
    double helper_cpu_seconds; /* of threads other than the caller's */
    bool is_stopped;           /* ended early: counts as a failure, but the pieces are kept */
};

#endif
