/*
 * The option -D NAME=NUMBER of commands that make a trace, or something of traces.
 */
#ifndef FT_FORMATS_COMMANDS_PARAMETERS_H
#define FT_FORMATS_COMMANDS_PARAMETERS_H

#include "formats/cli/options.h"
#include "formats/trace/trace.h"

#define FT_PARAMETER_OPTION                                                                        \
    {                                                                                              \
        "define", 'D', "NAME=NUMBER", "a parameter of this run, such as N=100, kept for fit",      \
            .repeats = true                                                                        \
    }

/* Sets the parameters of metadata, which has none yet, from all -D in their order. */
int ft_parameters_read(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                       struct ft_diag *diag);
/* Adds all -D to those of a trace; FT_ERROR_USAGE where it has another value of one. */
int ft_parameters_add(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                      struct ft_diag *diag);

#endif
