/*
 * The threads of a captured process: their regions, their logs, and the list of them.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_THREADS_H
#define FT_TRACE_CAPTURE_TRACER_THREADS_H

#include "trace-capture/target/attach.h"
#include "trace-capture/tracer/capture_state.h"

/* The process's first thread, at its first instruction: makes the code cache, starts the log, and
 * leaves the thread stopped at its translation. Takes the target over. */
int ft_threads_first(struct ft_capture *capture, const struct ft_target *target,
                     struct ft_diag *diag);
/* The threads of a running process: the same for each of them. Takes the targets over. */
int ft_threads_attach(struct ft_capture *capture, struct ft_attachment *attachment,
                      struct ft_diag *diag);
/* A new thread, at its first stop: the same, and lets it run. If there is no room for it, it is
 * left as it was, and does not belong to the capture. */
int ft_threads_add(struct ft_capture *capture, pid_t tid, struct ft_diag *diag);
struct ft_thread *ft_threads_find(const struct ft_capture *capture, pid_t tid);
/* The thread is gone: forgets it. */
void ft_threads_remove(struct ft_thread *thread);
void ft_threads_fini(struct ft_capture *capture);

#endif
