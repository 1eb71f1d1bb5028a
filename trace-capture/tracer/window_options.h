/*
 * Which windows (windows.h) were asked for on the command line, and what has come of it in all
 * processes of the run together.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WINDOW_OPTIONS_H
#define FT_TRACE_CAPTURE_TRACER_WINDOW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_window_options {
    bool asked_for; /* else everything is recorded */
    bool markers;
    const char **names; /* --from, then --until; the texts belong to the command line */
    size_t from_count, name_count;
    uint64_t skip, length, every; /* instructions; 0: not asked for */
    const char *every_text;

    bool *met;    /* by name: a module has such a function */
    char **paths; /* of the modules in which they were looked for */
    size_t path_count, path_capacity;
    bool has_skipped; /* as much as --skip asks for, somewhere */
    uint64_t opened;  /* windows */
};

void ft_window_options_fini(struct ft_window_options *options);

/* Notes that functions were looked for in a module. */
int ft_window_options_add_path(struct ft_window_options *options, const char *path,
                               struct ft_diag *diag);
/* Before the program at `path` runs: an error where all code that may ever run is in this file, and
 * a function is not in it. name: of the program, for the message. */
int ft_window_options_check(const struct ft_window_options *options, const char *path,
                            const char *name, struct ft_diag *diag);
/* At the end of all: a function that was nowhere is an error. */
int ft_window_options_check_met(const struct ft_window_options *options, struct ft_diag *diag);
/* Then: what the user should know where nothing was recorded; else NULL. */
const char *ft_window_options_remark(const struct ft_window_options *options);

#endif
