/*
 * What `verify` found in a trace, as text and as JSON (docs/json.md, "verify").
 */
#ifndef FT_FORMATS_COMMANDS_VERIFY_REPORT_H
#define FT_FORMATS_COMMANDS_VERIFY_REPORT_H

#include "formats/trace/trace_reader.h"

struct ft_verified_thread {
    size_t good; /* log chunks, from the first */
    struct ft_log_totals totals;
    struct ft_diag why; /* what is wrong with the next; status 0: there is none */
};

struct ft_verified_trace {
    const struct ft_trace *trace;
    const struct ft_verified_thread *threads; /* of the trace */
    struct ft_log_totals totals;              /* of all logs */
    size_t damaged_count;                     /* threads */
};

/* How much of the trace is there, and what is wrong with the rest. */
int ft_verified_print(const struct ft_verified_trace *verified, struct ft_diag *diag);
/* copy: the repaired trace that was written, or NULL. */
int ft_verified_print_json(const struct ft_verified_trace *verified, const char *copy,
                           struct ft_diag *diag);

#endif
