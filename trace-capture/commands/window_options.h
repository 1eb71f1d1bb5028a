/*
 * The options of `capture` that ask for windows.
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_WINDOW_OPTIONS_H
#define FT_TRACE_CAPTURE_COMMANDS_WINDOW_OPTIONS_H

#include "formats/cli/options.h"
#include "trace-capture/tracer/window_options.h"

/* The rows of capture's options that ft_window_options_parse reads. */
#define FT_WINDOW_OPTIONS                                                                          \
    {"from", 0, "FUNCTION", "record each call of FUNCTION, from entry to return"},                 \
        {"until", 0, "FUNCTION", "stop recording when FUNCTION is called"},                        \
        {"markers", 0, NULL, "record only between the program's markers (foretrace.h)"},           \
        {"skip", 0, "N", "skip the first N instructions; K, M, G: powers of 1000"},                \
        {"for", 0, "N", "end each window after N instructions"},                                   \
    {                                                                                              \
        "every", 0, "N", "with --for: begin a window every N instructions"                         \
    }
int ft_window_options_parse(const struct ft_arguments *arguments,
                            struct ft_window_options *ret_options, struct ft_diag *diag);

#endif
