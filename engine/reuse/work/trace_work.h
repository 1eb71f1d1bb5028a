/*
 * The replay of one trace while it is at work: its LRU stacks and the readers of its threads' logs,
 * for the files that replay stacks by themselves (trace_replay.c) and side by side
 * (shared_stacks.h). Whoever replays a stack alone writes to it.
 */
#ifndef FT_ENGINE_REUSE_WORK_TRACE_WORK_H
#define FT_ENGINE_REUSE_WORK_TRACE_WORK_H

#include "engine/data/data_runs.h"
#include "engine/program/scope_steps.h"
#include "engine/reuse/work/replay_options.h"
#include "engine/reuse/work/thread_reader.h"

struct ft_trace_stack {
    const struct ft_stack_layout *plan;
    bool is_part;                /* of what follows */
    struct ft_work_range part;   /* of the log's work */
    struct ft_replay *replay;    /* while it is at work */
    enum ft_replay_retry retry;  /* if it failed there */
    double helper_cpu_seconds;   /* as in the report */
    bool is_stopped;             /* likewise */
    struct ft_histograms *dense; /* filled at its end */
};

struct ft_trace_work {
    struct ft_trace *trace;
    const struct ft_replay_pass *pass;
    struct ft_stack_layouts plans;
    struct ft_trace_stack *stacks;    /* [plan] */
    struct ft_histograms *dense;      /* [plan] */
    struct ft_thread_reader *readers; /* [thread], of accesses */
    struct ft_run_source *fetches;    /* where they are read: has all references, unread */
    struct ft_scope_steps steps;      /* where scopes are followed: of the fetches */
    bool follows_scopes;
    struct ft_data_runs *data;    /* where it is wanted */
    struct ft_histograms by_pair; /* likewise: of its pairs, in stacks that are in the sum */
    uint32_t thread_count;
    struct ft_memory_budget budget; /* of all stacks and what waits for them */
    int home_thread;
};

/* Whose references are those of all stacks. */
static inline const struct ft_run_source *ft_trace_work_references(const struct ft_trace_work *work)
{
    return work->fetches ? work->fetches : &work->readers[0].base;
}

/* How many of them have histograms: fetches only where they were asked for. */
static inline uint32_t ft_trace_work_reference_count(const struct ft_trace_work *work)
{
    return work->follows_scopes && !work->pass->options->sharing.fetches
               ? work->steps.first
               : ft_trace_work_references(work)->reference_count;
}

static inline bool ft_stack_layout_is_shared(const struct ft_stack_layout *plan)
{
    return plan->thread_count > 1;
}

#endif
