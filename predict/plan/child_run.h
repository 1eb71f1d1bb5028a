/*
 * One run of this same foretrace, or of a command, as a child, with a time limit: its input is
 * empty, its output is discarded, shown, or goes to a file, as its standard error does.
 */
#ifndef FT_PREDICT_PLAN_CHILD_RUN_H
#define FT_PREDICT_PLAN_CHILD_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "predict/plan/held_signals.h"

#define FT_CHILD_NOT_STARTED 125 /* the exit code of a child that no program was found for */

struct ft_child_run {
    bool ended;            /* false: killed at the limit, with all that it captured */
    int exit_code;         /* 128 + n where signal n killed it */
    double cpu_seconds;    /* of it and of all that it waited for */
    double resident_bytes; /* at most, of the largest process among these */
};

struct ft_child_terms {
    const char *errors_path; /* where its standard error goes; NULL: where ours goes */
    double limit_seconds;    /* of the clock on the wall; INFINITY: none */
    const struct ft_held_signals *signals; /* at one of these it is killed */
    bool is_native; /* arguments are a command's words; else those behind foretrace's name */
    const char *output_path; /* where its output goes; NULL: nowhere. May be errors_path */
    bool shows_output;       /* where it would go nowhere: where ours goes */
    double grace_seconds;    /* before it is killed it gets SIGTERM, and so long to clean up */
    const char *folder;      /* in which it runs, and from which paths here begin; NULL: ours */
};

/* arguments end with NULL. Fails if it cannot be started, or if
 * a signal is pending. */
int ft_child_run(char *const *arguments, const struct ft_child_terms *terms,
                 struct ft_child_run *ret_run, struct ft_diag *diag);

/* The last line of a file of errors, as far as it fits; empty where there is none. */
void ft_child_last_line(const char *errors_path, char *text, size_t bytes);

#endif
