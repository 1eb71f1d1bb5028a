/*
 * How long a command takes natively: the CPU time of several runs, its own and that of what it
 * waits for, of user and kernel together. Its input is empty, its output is discarded. Runs of all
 * commands take turns, so that what else the host does falls on all alike.
 */
#ifndef FT_PREDICT_PLAN_NATIVE_TIMES_H
#define FT_PREDICT_PLAN_NATIVE_TIMES_H

#include <stddef.h>

#include "formats/base/progress.h"
#include "formats/base/status.h"

struct ft_native_time {
    char **words;                       /* the command, NULL behind the last; the caller's */
    double min_seconds, median_seconds; /* of its runs, as found */
};

/* Runs each command so often. FT_ERROR_FAILURE where one cannot be started, does not end with 0, or
 * not within an hour; says which. progress may be NULL. */
int ft_native_times_run(struct ft_native_time *times, size_t count, size_t repeats,
                        struct ft_progress *progress, struct ft_diag *diag);

#endif
