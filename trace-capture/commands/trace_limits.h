/*
 * The options of `capture` that end a trace.
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_TRACE_LIMITS_H
#define FT_TRACE_CAPTURE_COMMANDS_TRACE_LIMITS_H

#include "formats/cli/options.h"
#include "trace-capture/processes/trace_limits.h"

/* The rows of capture's options that ft_limits_parse reads. */
#define FT_LIMITS_OPTIONS                                                                          \
    {"max-size", 0, "BYTES",                                                                       \
     "end the trace once its file has this size; K, M, G: powers of 1024"},                        \
    {                                                                                              \
        "max-time", 0, "SECONDS", "end the trace after this time; suffixes s, m, h"                \
    }
int ft_limits_parse(const struct ft_arguments *arguments, struct ft_limits *ret_limits,
                    struct ft_diag *diag);

#endif
