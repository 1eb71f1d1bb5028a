/*
 * Sends a thread from its program state back into translated code.
 *
 * This module and signals.h use each other, and are the only circle of modules in trace-capture:
 * where there is no code to resume in, the program must run the instruction natively, which is
 * signals' work; and whatever a signal leads to ends with resuming.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_RESUME_H
#define FT_TRACE_CAPTURE_TRACER_RESUME_H

#include "trace-capture/tracer/capture_state.h"

/* Sends the thread into the translation of the state's rip (translated now if necessary). If the
 * program cannot be captured any further, it continues natively and the trace ends. */
int ft_app_state_resume(struct ft_thread *thread, const struct ft_app_state *state,
                        struct ft_diag *diag);

#endif
