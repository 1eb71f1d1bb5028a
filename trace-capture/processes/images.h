/*
 * The captured images of processes (processes.h): finding, starting and ending them.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_IMAGES_H
#define FT_TRACE_CAPTURE_PROCESSES_IMAGES_H

#include "trace-capture/processes/processes_state.h"
#include "trace-capture/target/attach.h"

struct ft_capture *ft_processes_find(const struct ft_processes *processes, pid_t pid);
struct ft_thread *ft_processes_find_thread(const struct ft_processes *processes, pid_t tid);
/* Captures the stopped target, whose registers are the program's. If that fails the process
 * continues without a capture; the first of all is killed. arguments: of the first, else NULL;
 * parent, maker: the process and thread that forked it, else NULL. */
void ft_processes_start_image(struct ft_processes *processes, struct ft_target *target,
                              char *const *arguments, struct ft_capture *parent,
                              struct ft_thread *maker);
/* Captures the process that was attached to. If that fails it continues natively. */
void ft_processes_attach_image(struct ft_processes *processes, struct ft_attachment *attachment);
/* Ends the capture if no thread of its process is traced any more. */
void ft_processes_end_if_over(struct ft_processes *processes, struct ft_capture *capture);
/* Tracing failed: the process is killed, because its registers may be anything. */
void ft_processes_abandon(struct ft_processes *processes, struct ft_capture *capture,
                          const struct ft_diag *diag);

/* The program has ended; its children may still run. */
void ft_processes_note_end(struct ft_processes *processes, int wait_status);
/* Warns the user of a failure, which the exit code of the command will show. */
void ft_processes_report_failure(struct ft_processes *processes, const struct ft_diag *diag);
/* No thread of the image is traced any more: starts to write its trace out. */
void ft_processes_end_image(struct ft_processes *processes, struct ft_capture *capture);
/* Closes the captures whose traces have been written; all: waits for the others. */
void ft_processes_close_ended(struct ft_processes *processes, bool all);

#endif
