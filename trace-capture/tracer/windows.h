/*
 * Windows: the parts of a run that are recorded. In between the program runs translated but
 * unlogged. What opens and closes a window is asked for on the command line: functions that are
 * entered, markers in the program (markers/foretrace.h), numbers of instructions.
 *
 * Each process, and each image of it, has windows of its own and counts from its start. In it one
 * window is open for all threads, or none: the thread that comes upon its beginning or end goes
 * over to the other mode right there, the others are interrupted and follow at their next clean
 * point. All translations of both modes are kept, so a window costs a few stops.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WINDOWS_H
#define FT_TRACE_CAPTURE_TRACER_WINDOWS_H

#include "trace-capture/tracer/capture_state.h"

/* A new thread, with its log open: it starts in the present mode. */
int ft_windows_start_thread(struct ft_thread *thread, struct ft_app_state *state,
                            struct ft_diag *diag);
/* The log of a thread ends. */
void ft_windows_end_thread(struct ft_thread *thread);
/* Whether the thread has to go over to another mode. */
bool ft_windows_is_pending(const struct ft_thread *thread);
/* At a clean point, with the state to go on from: goes over to the mode that is asked for. */
void ft_windows_follow(struct ft_thread *thread, struct ft_app_state *state);

#endif
