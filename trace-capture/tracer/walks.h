/*
 * The host's part in counting edges (edge_counts.h). If edges are not counted, these functions do
 * nothing.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WALKS_H
#define FT_TRACE_CAPTURE_TRACER_WALKS_H

#include "trace-capture/tracer/capture_state.h"

/* The thread continues from the position in a translation. */
int ft_walk_enter(struct ft_thread *thread, const struct ft_walk_position *position,
                  const struct ft_translation *to, struct ft_diag *diag);
/* It continues elsewhere, or ends: the position becomes the outside. */
int ft_walk_end(struct ft_thread *thread, struct ft_walk_position *position, struct ft_diag *diag);
/* A loop is left at its head, or inside an iteration: notes the iterations done, and returns
 * whether there were any. */
bool ft_walk_note_iterations(struct ft_thread *thread, const struct ft_translation *translation,
                             const struct user_regs_struct *registers);
/* The thread's counters. */
uint64_t *ft_walk_counters(const struct ft_thread *thread);
/* Counts an edge that the thread takes, if it has a counter. */
int ft_walk_count(struct ft_thread *thread, uint32_t from, unsigned left, uint32_t to,
                  struct ft_diag *diag);
/* The thread has ended: adds its counts to those of the process. */
void ft_walk_collect(struct ft_thread *thread);

#endif
