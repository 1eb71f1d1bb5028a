/*
 * A reader of one thread's log: a source that passes batches on, records the strides of runs before
 * they are cut into slices, reports progress, and feeds the thread's private stack if there is one.
 */
#ifndef FT_ENGINE_REUSE_WORK_THREAD_READER_H
#define FT_ENGINE_REUSE_WORK_THREAD_READER_H

#include "engine/reuse/stacks/replay.h"
#include "formats/trace/execution_counts.h"
#include "formats/trace/trace.h"

/* Called by any thread for accesses that were read, or kept from an earlier run; tell may be NULL.
 * Numbers are modulo 2^64, so that they can be retracted. */
struct ft_listener {
    void (*tell)(void *context, uint64_t accesses, bool is_kept);
    void *context;
    bool is_beside; /* another reader counts these accesses: report progress with 0 accesses */
};
static inline void ft_listener_tell(const struct ft_listener *listener, uint64_t accesses,
                                    bool is_kept)
{
    if (listener->tell)
        listener->tell(listener->context, listener->is_beside ? 0 : accesses, is_kept);
}

struct ft_thread_reader {
    struct ft_run_source base; /* first, so that a source is cast to its whole */
    struct ft_run_source *inner;
    struct ft_listener listener;
    struct ft_replay *replay; /* takes each batch, or NULL; borrowed */

    uint32_t first_fetch; /* references from here on are fetches, which do not count as accesses */
    uint64_t accesses;    /* read */
    struct ft_reference_motion *motions; /* per reference */
    struct ft_execution_counts counts;

    /* At the last end of a pass through logs that come again: */
    bool is_marked;
    struct ft_replay_skips marked;
    uint64_t marked_accesses;
    struct ft_seen_steps *marked_steps; /* per reference */
};

/* reader: all zero. Then reader->base.next reads what lies between the two positions. content: a
 * sum of enum ft_run_content. */
int ft_thread_reader_open(struct ft_thread_reader *reader, struct ft_trace *trace, uint32_t thread,
                          unsigned content, struct ft_log_place from, struct ft_log_place to,
                          struct ft_listener listener, struct ft_diag *diag);
/* Adds the strides and counts of a reader of a later part, whose counts are emptied. */
int ft_thread_reader_append(struct ft_thread_reader *reader, struct ft_thread_reader *more,
                            size_t unit_count, struct ft_diag *diag);
/* Copies its strides and counts only. */
int ft_thread_reader_copy(const struct ft_thread_reader *reader, size_t unit_count,
                          struct ft_thread_reader *ret_copy, struct ft_diag *diag);
/* Releases the log and its references; strides and counts stay. */
void ft_thread_reader_close(struct ft_thread_reader *reader);
void ft_thread_reader_fini(struct ft_thread_reader *reader);

#endif
