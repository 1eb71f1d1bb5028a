/*
 * Ends the walk of a thread that was killed, or whose program was replaced.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WALK_ENDS_H
#define FT_TRACE_CAPTURE_TRACER_WALK_ENDS_H

#include "trace-capture/tracer/capture_state.h"

/* The thread is killed, wherever it is. */
int ft_walk_end_killed(struct ft_thread *thread, const struct user_regs_struct *registers,
                       struct ft_diag *diag);
int ft_walk_end_replaced(struct ft_thread *thread, struct ft_diag *diag);

#endif
