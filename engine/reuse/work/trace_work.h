/*
 * The state of one trace's replay: its LRU stacks and the readers of its threads' logs, for the
 * files that replay stacks independently (trace_replay.c) and side by side (shared_stacks.h). A
 * stack is written only by the thread that replays it.
 */
#ifndef FT_ENGINE_REUSE_WORK_TRACE_WORK_H
#define FT_ENGINE_REUSE_WORK_TRACE_WORK_H

#include "engine/data/data_runs.h"
#include "engine/program/scope_steps.h"
#include "engine/reuse/work/replay_options.h"
#include "engine/reuse/work/thread_reader.h"

struct ft_trace_stack {
    const struct ft_stack_layout *layout;
    bool is_part;                /* of what follows */
    struct ft_work_range part;   /* of the log's work */
    struct ft_replay *replay;    /* while it runs */
    enum ft_replay_retry retry;  /* if it failed */
    double helper_cpu_seconds;   /* as in the report */
    bool is_stopped;             /* likewise */
    struct ft_histograms *dense; /* filled when it ends */
};

struct ft_trace_work {
    struct ft_trace *trace;
    const struct ft_replay_pass *pass;
    struct ft_stack_layouts layouts;
    struct ft_trace_stack *stacks;    /* [layout] */
    struct ft_histograms *dense;      /* [layout] */
    struct ft_thread_reader *readers; /* [thread], of accesses */
    struct ft_run_source *fetches;    /* if fetches are read: has all references, never read */
    struct ft_scope_steps steps;      /* if scopes are followed: of the fetches */
    bool follows_scopes;
    struct ft_data_runs *data;    /* if requested */
    struct ft_histograms by_pair; /* likewise: by pair, over the stacks in the sum */
    uint32_t thread_count;
    struct ft_memory_budget budget; /* of all stacks and waiting segments */
    int home_thread;
};

/* The source whose references all stacks use. */
static inline const struct ft_run_source *ft_trace_work_references(const struct ft_trace_work *work)
{
    return work->fetches ? work->fetches : &work->readers[0].base;
}

/* How many of them have histograms: fetches only if requested. */
static inline uint32_t ft_trace_work_reference_count(const struct ft_trace_work *work)
{
    return work->follows_scopes && !work->pass->options->sharing.fetches
               ? work->steps.first
               : ft_trace_work_references(work)->reference_count;
}

static inline bool ft_stack_layout_is_shared(const struct ft_stack_layout *layout)
{
    return layout->thread_count > 1;
}

#endif
