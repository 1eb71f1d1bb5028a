/*
 * All processes of one `foretrace capture`: the program, and those that it and its children start.
 * Each image of a process (from fork or exec to the next exec or exit) has a capture and a trace of
 * its own.
 *
 * A child that shares its parent's memory until it executes a program (vfork, posix_spawn) runs
 * natively up to that point.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_PROCESSES_H
#define FT_TRACE_CAPTURE_PROCESSES_PROCESSES_H

#include "trace-capture/processes/capture_options.h"
#include "trace-capture/processes/processes_state.h"
#include "trace-capture/target/attach.h"

struct ft_capture_result {
    int wait_status;              /* of the program's end */
    bool has_failed;              /* something went wrong, and was reported */
    struct ft_cost_samples costs; /* of an estimate */
};

/* Captures the started program, and what it starts, to the end. Takes the target over. metadata:
 * what all traces share; arguments: the command line as given. */
void ft_processes_run(const struct ft_capture_options *options, const struct ft_metadata *metadata,
                      const struct ft_capture_messages *messages, const struct ft_target *target,
                      char *const *arguments, struct ft_capture_result *ret_result);

/* Captures the process that was attached to, and what it starts, until a limit or a signal ends the
 * trace, or the process ends. */
void ft_processes_attach(const struct ft_capture_options *options,
                         const struct ft_metadata *metadata,
                         const struct ft_capture_messages *messages,
                         struct ft_attachment *attachment, struct ft_capture_result *ret_result);

#endif
