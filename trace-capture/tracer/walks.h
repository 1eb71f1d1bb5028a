/*
 * The host's part in counting edges (edge_counts.h). Where edges are not counted these do nothing.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WALKS_H
#define FT_TRACE_CAPTURE_TRACER_WALKS_H

#include "trace-capture/tracer/capture_state.h"

/* The thread goes on in a translation from the position. */
int ft_walk_enter(struct ft_thread *thread, const struct ft_walk_position *position,
                  const struct ft_translation *to, struct ft_diag *diag);
/* It goes on somewhere else, or nowhere: the position becomes the outside. */
int ft_walk_end(struct ft_thread *thread, struct ft_walk_position *position, struct ft_diag *diag);
/* A loop is left at its head, or within an iteration: notes the iterations done, and returns
 * whether there were any. */
bool ft_walk_note_iterations(struct ft_thread *thread, const struct ft_translation *translation,
                             const struct user_regs_struct *registers);
/* What the thread has counted. */
uint64_t *ft_walk_counters(const struct ft_thread *thread);
/* Counts a way that it goes, if that has a counter. */
int ft_walk_count(struct ft_thread *thread, uint32_t from, unsigned left, uint32_t to,
                  struct ft_diag *diag);
/* The thread is gone: what it counted goes to the process. */
void ft_walk_take(struct ft_thread *thread);

#endif
