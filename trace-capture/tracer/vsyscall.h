/*
 * Emulates the vsyscall page.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_VSYSCALL_H
#define FT_TRACE_CAPTURE_TRACER_VSYSCALL_H

#include "trace-capture/tracer/capture_state.h"

/* If the state's rip is an entry of the vsyscall page, makes its system call, and moves the state
 * to after it; *ret_done is false if rip is elsewhere, or the program faults there. */
int ft_vsyscall(struct ft_thread *thread, struct ft_app_state *state, bool *ret_done,
                struct ft_diag *diag);

#endif
