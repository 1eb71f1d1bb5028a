/*
 * Moves counters to the edges that are taken least, while the program runs.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_COUNTER_MOVES_H
#define FT_TRACE_CAPTURE_TRACER_COUNTER_MOVES_H

#include "trace-capture/tracer/capture_state.h"

/* Where the thread is stopped at the position, and alone: moves counters to ways that were seldom
 * gone, once the program has run long enough since the last time (counter_moves.c). */
int ft_walk_move_counters(struct ft_thread *thread, const struct ft_walk_position *position,
                          struct ft_diag *diag);
/* Makes the thread of a process that runs on and on stop for that. */
void ft_walk_call(struct ft_capture *capture);

#endif
