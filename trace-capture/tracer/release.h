/*
 * Threads go on natively, without us: one of them, or all where the trace ends.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_RELEASE_H
#define FT_TRACE_CAPTURE_TRACER_RELEASE_H

#include "trace-capture/tracer/capture_state.h"

/* The thread goes on natively from the state, detached. */
int ft_thread_detach(struct ft_thread *thread, const struct ft_app_state *state,
                     struct ft_diag *diag);
/* Ends the trace here, for a reason: the thread is detached, the others follow. */
int ft_thread_release(struct ft_thread *thread, const struct ft_app_state *state,
                      const char *reason, struct ft_diag *diag);
/* The same, where something has failed that the program has no part in. */
int ft_thread_give_up(struct ft_thread *thread, const struct ft_app_state *state,
                      const struct ft_diag *failure, struct ft_diag *diag);
/* The same for all threads, wherever they are. */
void ft_capture_release_all(struct ft_capture *capture, const char *reason);
void ft_capture_give_up_all(struct ft_capture *capture, const struct ft_diag *failure);
/* Lets the thread run with PTRACE_CONT. */
int ft_thread_continue(struct ft_thread *thread, int signal, struct ft_diag *diag);

#endif
