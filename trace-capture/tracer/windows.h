/*
 * Windows: the parts of a run that are recorded. In between the program runs translated but
 * unlogged. The command line says what opens and closes a window: calls of functions, markers in
 * the program (markers/foretrace.h), numbers of instructions.
 *
 * Each image of a process has its own windows and counts from its start. In it one window is open
 * for all threads, or none: the thread that reaches its beginning or end changes its mode right
 * there, the others are interrupted and follow at their next clean point. The translations of both
 * modes are kept, so a window costs only a few stops.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WINDOWS_H
#define FT_TRACE_CAPTURE_TRACER_WINDOWS_H

#include "trace-capture/tracer/capture_state.h"

/* A new thread, with its log open: it starts in the current mode. */
int ft_windows_start_thread(struct ft_thread *thread, struct ft_app_state *state,
                            struct ft_diag *diag);
/* The log of a thread ends. */
void ft_windows_end_thread(struct ft_thread *thread);
/* Whether the thread has yet to change its mode. */
bool ft_windows_is_pending(const struct ft_thread *thread);
/* At a clean point, with the state to continue from: changes to the current mode. */
void ft_windows_follow(struct ft_thread *thread, struct ft_app_state *state);

#endif
