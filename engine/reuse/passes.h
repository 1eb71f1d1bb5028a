/*
 * The replay of a trace in as many passes as memory allows: if all block sizes together exceed the
 * limit, the smallest is replayed by itself, then the others, and so on; if memory is touched
 * sparsely, the pass starts over with smaller regions. Neither changes the result.
 */
#ifndef FT_ENGINE_REUSE_PASSES_H
#define FT_ENGINE_REUSE_PASSES_H

#include "engine/reuse/trace_replay.h"

struct ft_passes_report {
    unsigned pass_count;       /* that contributed results */
    bool is_sparse;            /* few blocks of each 2 MiB region are touched */
    uint64_t memory_bytes;     /* peak over all passes */
    double helper_cpu_seconds; /* of threads other than the caller's, over all passes */
    bool is_stopped;           /* ended early: counts as a failure, but the pieces are kept */
};

/* As ft_trace_replay. */
int ft_trace_replay_in_passes(const struct ft_trace_replay_options *options,
                              const struct ft_replay_subject *subject,
                              struct ft_histograms *histograms, struct ft_passes_report *ret_report,
                              struct ft_diag *diag);

#endif
