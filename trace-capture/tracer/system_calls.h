/*
 * The system calls that the host handles.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_SYSTEM_CALLS_H
#define FT_TRACE_CAPTURE_TRACER_SYSTEM_CALLS_H

#include "trace-capture/tracer/capture_state.h"

int ft_system_call(struct ft_thread *thread, struct user_regs_struct *registers,
                   const struct ft_stop *stop, struct ft_diag *diag);

#endif
