/*
 * Calls of MPI: what a thread does inside them is communication, and not recorded. At the entry of
 * a function the thread stops, its arguments are logged, and it runs unlogged until it returns;
 * then the results are logged, and the log continues. Calls inside a call are part of it.
 *
 * A thread that is created inside a call belongs to the library, and is not recorded. A call that
 * is left by longjmp or an exception has no return: the thread stays unrecorded.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_COMMUNICATION_H
#define FT_TRACE_CAPTURE_TRACER_COMMUNICATION_H

#include "trace-capture/tracer/capture_state.h"

/* At a stop of kind FT_STOP_CALL, in front of the unit: the thread's call begins. */
int ft_communication_enter(struct ft_thread *thread, struct ft_app_state *state,
                           const struct ft_unit *unit, struct ft_diag *diag);
/* At a clean point: if the thread's call ends there, logs its results; true if so. */
bool ft_communication_return(struct ft_thread *thread, struct ft_app_state *state);
/* Whether a new thread, still in its maker's translation, was made inside a call. */
bool ft_communication_makes(const struct ft_capture *capture,
                            const struct user_regs_struct *registers);

#endif
