/*
 * What the commands that take a TRACE share: opening it, and writing much to stdout.
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

/* A trace that a command was given; partial: also what is whole of one that was cut off, as of
 * *.partial always. Another file of foretrace's is refused with the command that takes it. */
int ft_trace_open_named(const char *path, bool partial, struct ft_trace **ret_trace,
                        struct ft_diag *diag);
/* Opens the command's one operand, or one of several, partial with --partial. */
int ft_trace_open_operand(const struct ft_arguments *arguments, struct ft_trace **ret_trace,
                          struct ft_diag *diag);
int ft_trace_open_operand_at(const struct ft_arguments *arguments, size_t index,
                             struct ft_trace **ret_trace, struct ft_diag *diag);

/* Lets HDF5 try all operands (hdf5_input.h), so that threads may open them; the message for the
 * first that opening would refuse. */
int ft_trace_operands_try(const struct ft_arguments *arguments, struct ft_diag *diag);

/* What stands in the raw bytes of the operand, whatever HDF5 would say of it. */
int ft_trace_open_carved(const struct ft_arguments *arguments, struct ft_trace **ret_trace,
                         struct ft_diag *diag);
/* Whether a file's name says that it is a trace that was cut off: *.partial. */
bool ft_trace_is_partial(const char *path);

/* For a file that is not what a command needs: where it is a trace, the message of diag says so and
 * gives the next step instead. */
void ft_hint_at_trace(const char *path, const char *next_step, struct ft_diag *diag);

/* Flushes stdout. A reader that has seen enough (a closed pipe) is no failure. */
int ft_stdout_finish(struct ft_diag *diag);
/* Whether stdout still takes anything. */
bool ft_stdout_is_open(void);

#endif
