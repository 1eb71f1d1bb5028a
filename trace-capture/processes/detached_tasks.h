/*
 * Threads that run natively, but traced, until they execute a program.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_DETACHED_TASKS_H
#define FT_TRACE_CAPTURE_PROCESSES_DETACHED_TASKS_H

#include "trace-capture/processes/processes_state.h"

bool ft_detached_tasks_has(const struct ft_processes *processes, pid_t tid);
/* Lets a stopped thread run natively. */
void ft_detached_tasks_add(struct ft_processes *processes, pid_t tid);
void ft_detached_tasks_remove(struct ft_processes *processes, pid_t tid);

#endif
