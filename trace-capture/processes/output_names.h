/*
 * Names of trace files, one per process image, made from a pattern in which % and a letter stand
 * for what distinguishes processes. No two images of one capture have the same name.
 *
 *     %p process id    %h host    %r rank (MPI, Slurm)    %j job    %a task of a job array    %% %
 *
 * Rank, job and task are read from the environment that the process was started with, not from that
 * of foretrace, so that ranks differ when foretrace runs the launcher. What is not set is "none".
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_OUTPUT_NAMES_H
#define FT_TRACE_CAPTURE_PROCESSES_OUTPUT_NAMES_H

#include <stdbool.h>
#include <sys/types.h>

#include "formats/base/status.h"

struct ft_output_names {
    char **used; /* names that were given, in order */
    size_t used_count, used_capacity;
};

/* The pattern to use: the one given with -o, or the default where that is NULL. FT_ERROR_USAGE if
 * it has an unknown letter, or if this process is one of several ranks that would all write the
 * same file. */
int ft_output_pattern(const char *given, const char **ret_pattern, struct ft_diag *diag);
/* The name that a pattern gives the first image of a process; the caller frees it. */
int ft_output_name(const char *pattern, pid_t pid, char **ret_name, struct ft_diag *diag);
/* The name for an image of a process; a second one of the same name becomes NAME.2.h5, a third one
 * NAME.3.h5. Unless `replaces`, names of files that exist are skipped, but for the first image,
 * whose name the command has checked: nobody can be asked while the program runs. Owned by `names`.
 */
int ft_output_names_next(struct ft_output_names *names, const char *pattern, bool replaces,
                         pid_t pid, const char **ret_name, struct ft_diag *diag);
void ft_output_names_fini(struct ft_output_names *names);

#endif
