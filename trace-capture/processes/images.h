/*
 * The images of processes that are captured (processes.h): found, started, ended.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_IMAGES_H
#define FT_TRACE_CAPTURE_PROCESSES_IMAGES_H

#include "trace-capture/processes/processes_state.h"

struct ft_capture *ft_processes_find(const struct ft_processes *processes, pid_t pid);
struct ft_thread *ft_processes_find_thread(const struct ft_processes *processes, pid_t tid);
/* A capture of the stopped target, whose registers are the program's own. Where there can be none
 * it goes on without, but for the first of all, which is killed. arguments: of the first, else
 * NULL; parent, maker: the process and thread that fork has made it in, else NULL. */
void ft_processes_start_image(struct ft_processes *processes, struct ft_target *target,
                              char *const *arguments, struct ft_capture *parent,
                              struct ft_thread *maker);
/* Ends the capture if nothing of its process is traced any more. */
void ft_processes_end_if_over(struct ft_processes *processes, struct ft_capture *capture);
/* Tracing failed: the process cannot go on, its registers may be anything. */
void ft_processes_abandon(struct ft_processes *processes, struct ft_capture *capture,
                          const struct ft_diag *diag);

/* The program has ended, whatever others do. */
void ft_processes_note_end(struct ft_processes *processes, int wait_status);
/* Something has gone wrong that the user must know of. */
void ft_processes_complain(struct ft_processes *processes, const struct ft_diag *diag);
/* Nothing of the image is traced any more: its trace is written out. */
void ft_processes_end_image(struct ft_processes *processes, struct ft_capture *capture);
/* Closes the captures whose traces have been written; all: waits for the others. */
void ft_processes_close_ended(struct ft_processes *processes, bool all);

#endif
