/*
 * Detaches threads, which continue natively: one of them, or all when the trace ends.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_RELEASE_H
#define FT_TRACE_CAPTURE_TRACER_RELEASE_H

#include "trace-capture/tracer/capture_state.h"

/* Detaches the thread, which continues natively from the state. */
int ft_thread_detach(struct ft_thread *thread, const struct ft_app_state *state,
                     struct ft_diag *diag);
/* Ends the trace for this reason: detaches the thread, and the others at their next stop. */
int ft_thread_release(struct ft_thread *thread, const struct ft_app_state *state,
                      const char *reason, struct ft_diag *diag);
/* The same because of a failure of the capture. */
int ft_thread_give_up(struct ft_thread *thread, const struct ft_app_state *state,
                      const struct ft_diag *failure, struct ft_diag *diag);
/* The same for all threads, wherever they run. */
void ft_capture_release_all(struct ft_capture *capture, const char *reason);
void ft_capture_give_up_all(struct ft_capture *capture, const struct ft_diag *failure);
/* Lets the thread run with PTRACE_CONT. */
int ft_thread_continue(struct ft_thread *thread, int signal, struct ft_diag *diag);

#endif
