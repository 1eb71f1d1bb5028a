/*
 * What a stop of a traced thread leads to.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_TRACER_H
#define FT_TRACE_CAPTURE_TRACER_TRACER_H

#include "trace-capture/tracer/capture_state.h"

/* Handles an int3 or guard-page stop that translation made; false where it is none of those. */
int ft_tracer_own_stop(struct ft_thread *thread, int signal, struct user_regs_struct *registers,
                       bool *ret_own, struct ft_diag *diag);
/* Does what a stop stands for; registers are those behind its int3. */
int ft_tracer_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                      struct user_regs_struct *registers, struct ft_diag *diag);
/* The thread is gone, or about to be: finishes its log. */
int ft_tracer_end(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
/* A stop, or the end, of the thread, which may be gone then. */
int ft_tracer_handle(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
/* The same of an abandoned capture's. */
void ft_tracer_let_die(struct ft_thread *thread, int wait_status);
/* Whether a thread with which something failed, and whose life here is at its beginning, was just
 * killed; it is then left to its end. */
bool ft_tracer_let_go_if_killed(pid_t tid);

/* For ft_capture.handlers. */
extern const struct ft_stop_handlers ft_tracer_handlers;

#endif
