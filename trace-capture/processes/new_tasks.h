/*
 * New threads and processes, until they have stopped and the stop of their maker has reported them.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_NEW_TASKS_H
#define FT_TRACE_CAPTURE_PROCESSES_NEW_TASKS_H

#include "trace-capture/processes/processes_state.h"

/* A stop of a thread (NULL: a native one) reports another that it has made. */
void ft_new_tasks_on_clone_event(struct ft_processes *processes, pid_t reporter,
                                 struct ft_thread *thread);
/* A stop, or the end, of a task that is not known yet. */
void ft_new_tasks_on_first_stop(struct ft_processes *processes, pid_t tid, int wait_status);
/* A thread ended in the system call that was to make another, and will not report it. */
void ft_new_tasks_on_clone_aborted(struct ft_processes *processes, struct ft_capture *maker);
/* Before the capture ends: starts those that its threads have made, whose stops are about to
 * come. */
void ft_new_tasks_start_all(struct ft_processes *processes, const struct ft_capture *maker);

#endif
