/*
 * The replay of a trace in as many passes as memory allows: where the block sizes do not fit into
 * the limit together, the smallest is replayed by itself, then the others, and so on; where memory
 * is touched sparsely, once more from the start with smaller regions. The result does not depend on
 * either.
 */
#ifndef FT_ENGINE_REUSE_PASSES_H
#define FT_ENGINE_REUSE_PASSES_H

#include "engine/reuse/trace_replay.h"

struct ft_passes_report {
    unsigned pass_count;       /* that gave results */
    bool is_sparse;            /* few blocks of a region of 2 MiB are touched */
    uint64_t memory_bytes;     /* of the pass that took the most, at most */
    double helper_cpu_seconds; /* of CPU, in other threads than the caller's, all passes */
    bool is_stopped;           /* early: a failure, but what was done is kept */
};

/* As ft_trace_replay. */
int ft_trace_replay_in_passes(const struct ft_trace_replay_options *options,
                              const struct ft_replay_subject *subject,
                              struct ft_histograms *histograms, struct ft_passes_report *ret_report,
                              struct ft_diag *diag);

#endif
