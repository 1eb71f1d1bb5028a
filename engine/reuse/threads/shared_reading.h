/*
 * Reads all logs side by side for the stacks of one content; internal to shared_stacks.h. If the
 * replay can be stopped and resumed, it keeps what was read and replayed when it ends, for whatever
 * reason (readings.h, pieces.h).
 */
#ifndef FT_ENGINE_REUSE_THREADS_SHARED_READING_H
#define FT_ENGINE_REUSE_THREADS_SHARED_READING_H

#include "engine/reuse/work/trace_work.h"
#include "engine/streams/interleaving.h"

/* A shared stack that a thread feeds. */
struct ft_fed_stack {
    size_t stack;  /* SIZE_MAX: the end of a list */
    uint32_t part; /* number of the thread among those of the stack */
};

struct ft_shared_reading {
    struct ft_trace_work *work;
    unsigned content;                 /* a sum of enum ft_run_content */
    struct ft_thread_reader *readers; /* [thread] */
    struct ft_run_source **sources;   /* likewise */
    struct ft_fed_stack **fed;        /* [thread]: a list */
    struct ft_thread_order order;
    struct ft_interleaving *interleaving;
    struct ft_data_batches *batches;   /* of pairs, if data is requested */
    struct ft_checkpoint_reading kept; /* from an earlier run; no threads: nothing was kept */
    bool is_stopped;                   /* before its end */
};

static inline bool ft_shared_reading_goes_on(const struct ft_shared_reading *reading)
{
    return reading->kept.state.thread_count > 0;
}

/* Takes what was kept of this reading, with its timestamps. Call before readers are opened. */
int ft_shared_reading_take_kept(struct ft_shared_reading *reading, struct ft_diag *diag);
/* Where a thread's reader starts. */
struct ft_log_place ft_shared_reading_position(const struct ft_shared_reading *reading,
                                               uint32_t thread);
/* Once readers are open: checks that they fit what was kept, and resumes the interleaving. */
int ft_shared_reading_resume(struct ft_shared_reading *reading, struct ft_diag *diag);
/* Joins what was kept of a stack, which has just begun. */
int ft_shared_reading_join(const struct ft_shared_reading *reading, struct ft_trace_stack *stack,
                           struct ft_diag *diag);
/* Ends the readers at positions where others can resume, and adds what was kept to them. Keeps how
 * far they got if the replay can be stopped. Call before the stacks end: private ones are still
 * fed. */
int ft_shared_reading_end(struct ft_shared_reading *reading, struct ft_diag *diag);
/* Keeps a stack that has ended, if the replay can be stopped. The stack can then only be
 * destroyed. */
int ft_shared_reading_keep_stack(const struct ft_shared_reading *reading,
                                 struct ft_trace_stack *stack, struct ft_diag *diag);

#endif
