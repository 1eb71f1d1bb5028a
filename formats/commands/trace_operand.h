/*
 * What commands that take a TRACE share: opening it, and writing large outputs to stdout.
 */
#ifndef FT_FORMATS_COMMANDS_TRACE_OPERAND_H
#define FT_FORMATS_COMMANDS_TRACE_OPERAND_H

#include "formats/cli/options.h"
#include "formats/trace/trace.h"

#define FT_PARTIAL_OPTION                                                                          \
    {                                                                                              \
        "partial", 0, NULL,                                                                        \
            "read what is whole of a trace that was cut off (implied by *.partial)"                \
    }

/* Opens the trace that a command was given; partial: also the intact part of a truncated one, as
 * always for *.partial. Other files of foretrace are refused with the command that reads them. */
int ft_trace_open_named(const char *path, bool partial, struct ft_trace **ret_trace,
                        struct ft_diag *diag);
/* Opens the only operand of a command, or one of several; --partial sets partial. */
int ft_trace_open_operand(const struct ft_arguments *arguments, struct ft_trace **ret_trace,
                          struct ft_diag *diag);
int ft_trace_open_operand_at(const struct ft_arguments *arguments, size_t index,
                             struct ft_trace **ret_trace, struct ft_diag *diag);

/* Checks all operands with HDF5 (hdf5_input.h), so that threads may open them; fails for the first
 * that cannot be opened. */
int ft_trace_operands_try(const struct ft_arguments *arguments, struct ft_diag *diag);

/* Opens the operand from the chunks in its raw bytes, without HDF5. */
int ft_trace_open_carved(const struct ft_arguments *arguments, struct ft_trace **ret_trace,
                         struct ft_diag *diag);
/* Whether a file is by its name a truncated trace: *.partial. */
bool ft_trace_is_partial(const char *path);

/* For a file of the wrong kind: if it is a trace, replaces the message of diag by one that says so
 * and names the next step. */
void ft_hint_at_trace(const char *path, const char *next_step, struct ft_diag *diag);

/* Flushes stdout before other work. Why that failed is kept for ft_stdout_finish. */
void ft_stdout_flush(void);
/* Flushes stdout. A closed pipe (the reader has seen enough) is not a failure. */
int ft_stdout_finish(struct ft_diag *diag);
/* The exit code of a command that ended with this one: output that could not be written (a full
 * disk, say) turns success into failure, with a message. */
int ft_stdout_finish_code(int code);
/* Whether stdout can still be written to. */
bool ft_stdout_is_open(void);

#endif
