/*
 * Progress of a long command on stderr: on a terminal one line that is redrawn ten times a second;
 * in a log a line every 10 s, so that short work says nothing. --quiet silences both. Not thread
 * safe.
 */
#ifndef FT_FORMATS_CLI_PROGRESS_LINE_H
#define FT_FORMATS_CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/progress.h"

struct ft_progress_line {
    struct ft_progress base; /* what libraries are handed */
    bool on;
    bool is_terminal;
    const char *what; /* "replay run.h5" */
    uint64_t started_ns;
    uint64_t drawn_ns;
    uint64_t done_before; /* done before this run started, so not part of the rate */
};

/* The option of every command that shows progress; the parser of command lines (options.h) silences
 * all lines of the process where it is given. */
#define FT_QUIET_OPTION                                                                            \
    {                                                                                              \
        "quiet", 'q', NULL, "show no progress"                                                     \
    }
void ft_progress_line_silence(void);

void ft_progress_line_init(struct ft_progress_line *line, const char *what);
/* Wipes the line of a terminal. */
void ft_progress_line_fini(struct ft_progress_line *line);

#endif
