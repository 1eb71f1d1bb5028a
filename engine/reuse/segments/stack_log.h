/*
 * The log that feeds one private stack, or a part of it, and how to replay it.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_STACK_LOG_H
#define FT_ENGINE_REUSE_SEGMENTS_STACK_LOG_H

#include "engine/reuse/work/replay_options.h"
#include "engine/reuse/work/thread_reader.h"

struct ft_stack_log {
    struct ft_trace *trace;
    uint32_t thread;
    unsigned content;                       /* a sum of enum ft_run_content */
    const struct ft_run_source *references; /* of the stack, or NULL: those of its reader */
    uint32_t reference_count;               /* how many of them have histograms */
    bool pairs;                             /* requested; then the log is one segment */
    const struct ft_scope_steps *steps;     /* to be followed, with pairs, or NULL */
    const struct ft_replay_pass *pass;
    struct ft_listener listener;
    struct ft_piece_key key;   /* of the pieces in pass->subject->pieces */
    bool is_part;              /* replayed into a piece, without histograms */
    struct ft_work_range part; /* of the log's work, rounded to cuts that all ranks agree on */
    struct ft_memory_budget *budget;
    int home_thread; /* omp_get_thread_num() of the thread that measures its own time */
};

#endif
