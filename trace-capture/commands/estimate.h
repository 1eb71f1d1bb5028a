/*
 * `capture --estimate`: the traces of a run that are made only to see what they cost, in a folder
 * of their own below $TMPDIR, which goes away with them.
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_ESTIMATE_H
#define FT_TRACE_CAPTURE_COMMANDS_ESTIMATE_H

#include <limits.h>

#include "trace-capture/processes/capture_options.h"

struct ft_estimate {
    char folder[PATH_MAX]; /* "": none */
    char *output_pattern;
};

/* Makes the folder, and has the traces written there; nothing where no estimate is wanted. */
int ft_estimate_begin(struct ft_estimate *estimate, struct ft_capture_options *options,
                      struct ft_diag *diag);
/* Removes the folder with all that is in it; also where there is none. */
void ft_estimate_fini(struct ft_estimate *estimate);

#endif
