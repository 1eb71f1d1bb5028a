/*
 * What the command line of `capture` asks for.
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_CAPTURE_OPTIONS_H
#define FT_TRACE_CAPTURE_COMMANDS_CAPTURE_OPTIONS_H

#include "formats/cli/options.h"
#include "trace-capture/processes/capture_options.h"

/* Texts belong to the command line; the caller ends windows with ft_window_options_fini. */
int ft_capture_options_parse(const struct ft_arguments *arguments,
                             struct ft_capture_options *ret_options, struct ft_diag *diag);

#endif
