/*
 * The page of old system calls.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_VSYSCALL_H
#define FT_TRACE_CAPTURE_TRACER_VSYSCALL_H

#include "trace-capture/tracer/capture_state.h"

/* Does what the page of old system calls does where the state's rip is in it, and moves the state
 * behind the call; false where it is elsewhere, or the program faults there. */
int ft_vsyscall(struct ft_thread *thread, struct ft_app_state *state, bool *ret_done,
                struct ft_diag *diag);

#endif
