/*
 * Merges the accesses of several threads into one order: the one that a shared cache sees.
 *
 * Between two timestamps a thread runs at a steady rate: of n accesses between times t and u,
 * access k happens at t + (u - t) * k / n, rounded down. Threads take turns in slices: after every
 * FT_SLICE_ACCESSES accesses from a timestamp on, the thread whose next access is the earliest
 * continues, the lowest-numbered one on a tie; a timestamp ends a slice. Accesses before a thread's
 * first timestamp happen at the first timestamp of all threads, those after its last are spread up
 * to the last timestamp of all; without timestamps all threads start and end together. So the order
 * follows from the trace alone (docs/trace.md, "Order of threads").
 *
 * Entries other than accesses, such as fetches that show where a thread is in the program, take no
 * time: they come with the thread's accesses and do not affect the order.
 */
#ifndef FT_ENGINE_STREAMS_INTERLEAVING_H
#define FT_ENGINE_STREAMS_INTERLEAVING_H

#include "engine/streams/interleaved_thread.h"
#include "formats/expand/runs.h"
#include "formats/trace/thread_order.h"

#define FT_SLICE_ACCESSES 256U

struct ft_interleaving;
/* sources: one per thread of the order; both are borrowed and must outlive it. Only references
 * below `timed` count as accesses; UINT32_MAX: all. */
int ft_interleaving_create(struct ft_run_source *const *sources,
                           const struct ft_thread_order *order, uint32_t timed,
                           struct ft_interleaving **ret_interleaving, struct ft_diag *diag);
void ft_interleaving_destroy(struct ft_interleaving *interleaving);

/* The next batch and its thread: one or more slices of one thread, or a part of a slice. The batch
 * is valid until the next call; run_count 0: the end of all sources. */
int ft_interleaving_next(struct ft_interleaving *interleaving, uint32_t *ret_thread,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag);

/* What it takes to resume an interleaving later. */
struct ft_interleaving_state {
    struct ft_interleaved_thread *threads; /* [thread_count] */
    uint32_t thread_count;
    uint32_t current; /* the thread that continues */
    uint64_t granted; /* accesses left in its slice */
};
/* Copies what was read but not handed out; the sources may read on. */
int ft_interleaving_leave(const struct ft_interleaving *interleaving,
                          struct ft_interleaving_state *ret_state, struct ft_diag *diag);
/* Before the first batch: continues where another interleaving of this order was left, with sources
 * that continue after what the state has. Takes ownership of the state's runs. */
int ft_interleaving_resume(struct ft_interleaving *interleaving,
                           struct ft_interleaving_state *state, struct ft_diag *diag);
void ft_interleaving_state_fini(struct ft_interleaving_state *state);

#endif
