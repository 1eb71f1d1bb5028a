/*
 * Closes the record of a loop that faulted or was stopped inside an iteration.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_FAULTED_LOOPS_H
#define FT_TRACE_CAPTURE_TRACER_FAULTED_LOOPS_H

#include "trace-capture/tracer/capture_state.h"

/* The loop ran only the first `instructions` of its current iteration: its record is closed with
 * the complete iterations, and the current one becomes a PARTIAL escape, or is left out if its
 * registers at the head are unknown. Returns the address after it. */
uint64_t ft_log_close_faulted_loop(struct ft_thread *thread,
                                   const struct ft_translation *translation,
                                   const struct user_regs_struct *registers, unsigned instructions);

#endif
