/*
 * Threads and processes that were just made, until they have stopped and their maker has told.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_NEW_TASKS_H
#define FT_TRACE_CAPTURE_PROCESSES_NEW_TASKS_H

#include "trace-capture/processes/processes_state.h"

/* A stop of a thread (NULL: a native one) tells of another that it has made. */
void ft_new_tasks_on_clone_event(struct ft_processes *processes, pid_t teller,
                                 struct ft_thread *thread);
/* A stop, or the end, of somebody whom we do not know. */
void ft_new_tasks_on_first_stop(struct ft_processes *processes, pid_t tid, int wait_status);
/* A thread ended in the system call that was to make another, and will tell nothing. */
void ft_new_tasks_on_clone_aborted(struct ft_processes *processes, struct ft_capture *maker);
/* Those that the capture's threads have made, before it ends: their stops are about to come. */
void ft_new_tasks_start_all(struct ft_processes *processes, const struct ft_capture *maker);

#endif
