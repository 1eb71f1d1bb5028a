/*
 * Handles the stops of traced threads.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_TRACER_H
#define FT_TRACE_CAPTURE_TRACER_TRACER_H

#include "trace-capture/tracer/capture_state.h"

/* Handles an int3 or guard-page stop that the translation caused; *ret_is_ours is false for any
 * other. */
int ft_tracer_translation_stop(struct ft_thread *thread, int signal,
                               struct user_regs_struct *registers, bool *ret_is_ours,
                               struct ft_diag *diag);
/* Handles a stop of the translation; registers are those after its int3. */
int ft_tracer_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                      struct user_regs_struct *registers, struct ft_diag *diag);
/* The thread has ended, or is about to: finishes its log. */
int ft_tracer_end(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
/* A stop, or the end, of the thread, which may be removed by it. */
int ft_tracer_handle(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
/* The same in an abandoned capture. */
void ft_tracer_let_die(struct ft_thread *thread, int wait_status);
/* Whether a new thread, with which something failed, was just killed; it is then left to end. */
bool ft_tracer_let_go_if_killed(pid_t tid);

/* For ft_capture.handlers. */
extern const struct ft_stop_handlers ft_tracer_handlers;

#endif
