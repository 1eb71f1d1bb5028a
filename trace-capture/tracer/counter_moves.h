/*
 * Moves counters to the edges that are taken least often, while the program runs.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_COUNTER_MOVES_H
#define FT_TRACE_CAPTURE_TRACER_COUNTER_MOVES_H

#include "trace-capture/tracer/capture_state.h"

/* The thread, which must be the only one, is stopped at the position: moves counters to edges that
 * were seldom taken, if the program has run long enough since the last time. */
int ft_walk_move_counters(struct ft_thread *thread, const struct ft_walk_position *position,
                          struct ft_diag *diag);
/* Makes the thread of a process that never stops by itself stop for that. */
void ft_walk_request_stop(struct ft_capture *capture);

#endif
