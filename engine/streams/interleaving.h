/*
 * The accesses of several threads in one order: that of a cache which they share.
 *
 * Between two timestamps a thread goes at a steady rate: of n accesses between times t and u,
 * access k happens at t + (u - t) * k / n, rounded down. Threads take turns in slices: every
 * FT_SLICE_ACCESSES accesses from a timestamp on, the thread whose next access is the earliest goes
 * on, of several the one with the lowest number; a slice ends at a timestamp. Before a thread's
 * first timestamp counts as the time of the first timestamp of all, what follows its last lasts up
 * to the last timestamp of all; without any timestamps all threads run from the same start to the
 * same end. So the order follows from the trace alone (docs/trace.md, "Order of threads").
 *
 * What a source gives beside accesses, as fetches that say where a thread is in the program, takes
 * no time: it comes with the thread's accesses, and leaves their order as it is.
 */
#ifndef FT_ENGINE_STREAMS_INTERLEAVING_H
#define FT_ENGINE_STREAMS_INTERLEAVING_H

#include "engine/streams/interleaved_thread.h"
#include "formats/expand/runs.h"
#include "formats/trace/thread_order.h"

#define FT_SLICE_ACCESSES 256U

struct ft_interleaving;
/* sources: one for each thread of the order; both must outlive it and stay the caller's. Their
 * references below `timed` are those that the order counts; UINT32_MAX: all. */
int ft_interleaving_create(struct ft_run_source *const *sources,
                           const struct ft_thread_order *order, uint32_t timed,
                           struct ft_interleaving **ret_interleaving, struct ft_diag *diag);
void ft_interleaving_destroy(struct ft_interleaving *interleaving);

/* What comes next, and whose it is: one or more slices of one thread, or a part of them. The batch
 * lives until the next call; run_count 0: the end of all sources. */
int ft_interleaving_next(struct ft_interleaving *interleaving, uint32_t *ret_thread,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag);

/* What it takes to go on with an order later. */
struct ft_interleaving_state {
    struct ft_interleaved_thread *threads; /* [thread_count] */
    uint32_t thread_count;
    uint32_t current; /* the thread that goes on */
    uint64_t granted; /* accesses that it may still take */
};
/* What was read and not given is copied: the sources may go on behind it. */
int ft_interleaving_leave(const struct ft_interleaving *interleaving,
                          struct ft_interleaving_state *ret_state, struct ft_diag *diag);
/* Before the first batch: goes on from where another one of this order was left, with sources that
 * go on behind what the state has. Its runs are taken over. */
int ft_interleaving_resume(struct ft_interleaving *interleaving,
                           struct ft_interleaving_state *state, struct ft_diag *diag);
void ft_interleaving_state_fini(struct ft_interleaving_state *state);

#endif
