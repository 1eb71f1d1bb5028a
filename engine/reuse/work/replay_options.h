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
#include "formats/base/block_sizes.h"

/* What the user asks for: the same for all traces and passes. */
struct ft_trace_replay_options {
    struct ft_block_sizes sizes;
    const char *kernel; /* NULL: the best that this processor has */
    struct ft_sharing sharing;
    bool pairs;                                   /* of references */
    bool data;                                    /* all logs are read side by side, serially */
    uint64_t memory_max;                          /* of all stacks, and of what waits for them */
    const struct ft_process_limit *process_limit; /* or NULL */
    /* Private stacks by themselves: segments of one log that are replayed side by side, at least 1,
     * and accesses in each, 0: as many as suit. */
    unsigned segments_at_once;
    uint64_t segment_accesses;
};

/* One of the traces, or this process's part of it. */
struct ft_replay_subject {
    struct ft_trace *trace;
    uint32_t number;                     /* of the trace, in the keys of pieces */
    struct ft_checkpoint_pieces *pieces; /* of interrupted replays, or NULL */
    const atomic_bool *stop;             /* once true, work ends early; or NULL */
    struct ft_listener listener;
    /* Where several processes share a replay of private stacks: the part of the trace's work that
     * this one replays, into `pieces` and no histograms. */
    bool is_part;
    struct ft_work_range part;
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
