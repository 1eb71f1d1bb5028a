/*
 * Threads that run natively, still traced, up to the program that they execute.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_DETACHED_TASKS_H
#define FT_TRACE_CAPTURE_PROCESSES_DETACHED_TASKS_H

#include "trace-capture/processes/processes_state.h"

bool ft_natives_has(const struct ft_processes *processes, pid_t tid);
/* Lets a stopped thread run natively. */
void ft_natives_add(struct ft_processes *processes, pid_t tid);
void ft_natives_remove(struct ft_processes *processes, pid_t tid);

#endif
