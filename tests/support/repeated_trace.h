/*
 * The small trace with more logs: its second one comes again, in chunks of its own or by a
 * repetition, then the first one. Repetitions may be wrong, under checksums that are right.
 */
#ifndef FT_TESTS_SUPPORT_REPEATED_TRACE_H
#define FT_TESTS_SUPPORT_REPEATED_TRACE_H

#include "formats/trace/repeated_chunks.h"
#include "formats/trace/trace.h"

/* What the chunks behind the small trace's two logs are. */
enum repeated_tail { WRITTEN_OUT, REPEATED, REPEATED_TWICE };

struct repeated_trace {
    enum repeated_tail tail;
    unsigned times;                     /* that the second log comes again */
    struct ft_repeated_chunks repeated; /* what the repetition says of it */
    unsigned added_accesses;            /* that the repetition counts too many */
    bool has_rest;                      /* bytes behind its fields */
    bool is_cut_off;
};

int repeated_trace_write(const struct ft_trace *small, const char *path,
                         const struct repeated_trace *wanted, struct ft_diag *diag);

#endif
