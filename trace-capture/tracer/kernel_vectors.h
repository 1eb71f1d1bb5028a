/*
 * System calls that take a vector of buffers.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_KERNEL_VECTORS_H
#define FT_TRACE_CAPTURE_TRACER_KERNEL_VECTORS_H

#include "trace-capture/tracer/capture_state.h"

/* A system call that takes a vector of buffers is about to be made: notes them, and redirects the
 * thread to the route that makes the call and stops after it. */
int ft_kernel_vector_start(struct ft_thread *thread, struct user_regs_struct *registers,
                           struct ft_diag *diag);
/* Logs the buffers of the call that returned with these registers, unless that is done already, and
 * moves the context's log pointer. */
void ft_kernel_vector_log(struct ft_thread *thread, const struct user_regs_struct *registers);
/* The stop after the call. */
int ft_kernel_vector_end(struct ft_thread *thread, struct user_regs_struct *registers,
                         struct ft_diag *diag);
void ft_kernel_vector_fini(struct ft_kernel_vector *vector);

#endif
