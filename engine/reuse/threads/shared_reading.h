/*
 * The reading of all logs side by side, for the stacks of one content: the inside of
 * shared_stacks.h. And its interruption: where a replay may be stopped, and go on later, what was
 * read and replayed is kept at its end (readings.h, pieces.h), also at the end of all.
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
    struct ft_data_batches *batches;   /* of pairs, where data are asked for */
    struct ft_checkpoint_reading kept; /* from before; has no threads where nothing was kept */
    bool is_stopped;                   /* before its end */
};

static inline bool ft_shared_reading_goes_on(const struct ft_shared_reading *reading)
{
    return reading->kept.state.thread_count > 0;
}

/* Takes what was kept of it, and of the timestamps. Before readers are opened. */
int ft_shared_reading_take_kept(struct ft_shared_reading *reading, struct ft_diag *diag);
/* Where a thread's reader begins. */
struct ft_log_place ft_shared_reading_place(const struct ft_shared_reading *reading,
                                            uint32_t thread);
/* Once readers are open: whether they are those of what was kept; lets the order go on. */
int ft_shared_reading_resume(struct ft_shared_reading *reading, struct ft_diag *diag);
/* Joins what was kept of a stack that has just begun. */
int ft_shared_reading_join(const struct ft_shared_reading *reading, struct ft_trace_stack *stack,
                           struct ft_diag *diag);
/* Brings the readers to an end, where others can go on, and adds what was kept to them. Keeps how
 * far they came where the replay may be stopped. Before the stacks end: private ones are fed. */
int ft_shared_reading_end(struct ft_shared_reading *reading, struct ft_diag *diag);
/* Keeps a stack that has ended, where the replay may be stopped. It may then only be destroyed. */
int ft_shared_reading_keep_stack(const struct ft_shared_reading *reading,
                                 struct ft_trace_stack *stack, struct ft_diag *diag);

#endif
