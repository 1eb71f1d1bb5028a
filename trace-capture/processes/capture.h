/*
 * One capture from start to end: one image of a process, and its trace.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_CAPTURE_H
#define FT_TRACE_CAPTURE_PROCESSES_CAPTURE_H

#include "trace-capture/processes/capture_cost.h"
#include "trace-capture/processes/capture_options.h"
#include "trace-capture/tracer/capture_state.h"

/* Where an image comes from; each NULL if not so. */
struct ft_image_origin {
    char *const *arguments;           /* the command line that started it */
    const struct ft_capture *parent;  /* that made it by fork */
    struct ft_attachment *attachment; /* it ran before: all its threads */
};

/* Starts a trace of the target, which is stopped at an instruction of the program with the
 * program's registers, and redirects it into its translation, still stopped. Takes
 * target->memory_fd over. run: metadata that all images share; outcome: of the windows in all of
 * them; output: of the trace, stays the caller's. */
int ft_capture_begin(const struct ft_capture_options *options, const struct ft_metadata *run,
                     struct ft_window_outcome *outcome, const struct ft_target *target,
                     const struct ft_image_origin *origin, const char *output,
                     struct ft_capture **ret_capture, struct ft_diag *diag);
/* No thread is traced any more: starts to write what is left of the trace. */
void ft_capture_end(struct ft_capture *capture);
bool ft_capture_has_written(struct ft_capture *capture);
/* Waits until it is written, and frees everything. Returns the status of writing. Adds to *sources
 * what became of the source files, and to *cost that of this image, with its file. */
int ft_capture_close(struct ft_capture *capture, struct ft_source_outcome *sources,
                     struct ft_capture_cost *cost, struct ft_diag *diag);

#endif
