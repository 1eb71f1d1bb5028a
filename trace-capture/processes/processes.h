/*
 * All processes of one `foretrace capture`: the program, and those that it and they make. Each
 * image of a process (from fork or exec to exec or end) has a capture and a trace of its own.
 *
 * A child that shares its parent's memory until it executes a program (vfork, posix_spawn) runs
 * natively up to there.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_PROCESSES_H
#define FT_TRACE_CAPTURE_PROCESSES_PROCESSES_H

#include "trace-capture/processes/processes_state.h"

/* Captures the started program, and what it makes, to the end. Takes the target over. What goes
 * wrong is told, and in has_failed. arguments: the command line as it was given. */
void ft_processes_run(struct ft_processes *processes, const struct ft_target *target,
                      char *const *arguments);

#endif
