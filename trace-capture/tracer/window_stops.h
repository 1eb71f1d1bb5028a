/*
 * The stops at which windows open and close (windows.h).
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WINDOW_STOPS_H
#define FT_TRACE_CAPTURE_TRACER_WINDOW_STOPS_H

#include "trace-capture/tracer/capture_state.h"

/* As ft_windows_follow at a clean point, for a thread that was interrupted for that, which it
 * resumes. */
int ft_windows_interrupted(struct ft_thread *thread, struct ft_app_state *state,
                           struct ft_diag *diag);
/* At a stop where the instruction count has reached the end of its area (ft_count_is_stop). */
int ft_windows_counted(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* At a stop of kind FT_STOP_WINDOW or FT_STOP_RETURN. */
int ft_windows_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                       struct user_regs_struct *registers, struct ft_diag *diag);

#endif
