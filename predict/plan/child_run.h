/*
 * One run of this same foretrace as a child, with a limit of time: its input is empty, its output
 * thrown away, what it says on standard error kept in a file.
 */
#ifndef FT_PREDICT_PLAN_CHILD_RUN_H
#define FT_PREDICT_PLAN_CHILD_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "predict/plan/held_signals.h"

struct ft_child_run {
    bool ended;         /* false: killed at the limit, with all that it captured */
    int exit_code;      /* 128 + n where signal n killed it */
    double cpu_seconds; /* of it and of all that it waited for */
};

struct ft_child_terms {
    const char *errors_path;               /* where its standard error goes */
    double limit_seconds;                  /* of the clock on the wall */
    const struct ft_held_signals *signals; /* at one of these it is killed */
};

/* arguments: those behind the program's name, NULL behind the last. Fails where it cannot be
 * started, and where a signal waits. */
int ft_child_run(char *const *arguments, const struct ft_child_terms *terms,
                 struct ft_child_run *ret_run, struct ft_diag *diag);

/* The last line of a file of errors, as far as it fits; empty where there is none. */
void ft_child_last_line(const char *errors_path, char *text, size_t bytes);

#endif
