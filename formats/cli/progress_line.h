/*
 * A line of progress on stderr, redrawn at most ten times a second if stderr is a terminal and
 * silent otherwise, so that logs of batch jobs stay clean. Not thread safe.
 */
#ifndef FT_FORMATS_CLI_PROGRESS_LINE_H
#define FT_FORMATS_CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/progress.h"

struct ft_progress_line {
    struct ft_progress base; /* what libraries are handed */
    bool on;
    const char *what; /* "replay run.h5" */
    uint64_t started_ns;
    uint64_t drawn_ns;
    uint64_t done_before; /* done before this run started, so not part of the rate */
};

void ft_progress_line_init(struct ft_progress_line *line, const char *what);
/* Wipes the line. */
void ft_progress_line_fini(struct ft_progress_line *line);

#endif
