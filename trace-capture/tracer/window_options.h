/*
 * Which windows (windows.h) the user asked for, and what came of them in all processes of the run
 * together.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WINDOW_OPTIONS_H
#define FT_TRACE_CAPTURE_TRACER_WINDOW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_window_options {
    bool any; /* else everything is recorded */
    bool markers;
    const char **names; /* --from, then --until; the texts belong to the command line */
    size_t from_count, name_count;
    uint64_t skip, length, every; /* instructions; 0: not asked for */
};

struct ft_window_outcome {
    bool *is_found; /* by name: some module has the function; NULL before the first module */
    char **paths;   /* of the modules that were searched */
    size_t path_count, path_capacity;
    bool has_skipped; /* some process ran past the instructions of --skip */
    uint64_t opened;  /* windows */
};

void ft_window_options_fini(struct ft_window_options *options);
void ft_window_outcome_fini(struct ft_window_outcome *outcome);

/* Before the program at `path` runs: an error if all code that can ever run is in this file, and a
 * function is not in it. name: of the program, for the message. */
int ft_window_options_check(const struct ft_window_options *options, const char *path,
                            const char *name, struct ft_diag *diag);
/* A module is about to be searched for the functions: makes is_found, and notes its path. */
int ft_window_outcome_add_module(const struct ft_window_options *options,
                                 struct ft_window_outcome *outcome, const char *path,
                                 struct ft_diag *diag);
/* At the very end: a function that no module had is an error. */
int ft_window_outcome_check(const struct ft_window_options *options,
                            const struct ft_window_outcome *outcome, struct ft_diag *diag);
/* Likewise: why nothing was recorded, for the user; NULL if something was. */
const char *ft_window_outcome_remark(const struct ft_window_options *options,
                                     const struct ft_window_outcome *outcome);

#endif
