/*
 * The life of one capture: one image of a process and its trace.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_CAPTURE_H
#define FT_TRACE_CAPTURE_PROCESSES_CAPTURE_H

#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/window_options.h"

/* Starts a trace of the target, which stands at an instruction of the program's with its own
 * registers, and sends it into its translation, still stopped. Takes target->memory_fd over. run:
 * metadata that all images share; arguments: NULL for those that the kernel tells; parent: where
 * fork has made the process, else NULL; output: stays the caller's; bytes_max: of the file, 0:
 * no limit; windows: what of it is recorded; watch: the functions whose calls are logged;
 * only_counts: edges are counted, and no addresses logged. */
int ft_capture_begin(const struct ft_target *target, const struct ft_metadata *run,
                     char *const *arguments, const char *output, uint64_t bytes_max,
                     struct ft_window_options *windows, const struct ft_watch *watch,
                     bool only_counts, const struct ft_capture *parent,
                     struct ft_capture **ret_capture, struct ft_diag *diag);
/* No thread is traced any more: starts to write the rest of the trace. */
void ft_capture_end(struct ft_capture *capture);
bool ft_capture_has_written(struct ft_capture *capture);
/* Waits until it is written, and frees all. The error of writing. */
int ft_capture_close(struct ft_capture *capture, struct ft_diag *diag);

#endif
