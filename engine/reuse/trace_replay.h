/*
 * The replay of a whole trace, with all its threads, into the requested LRU stacks.
 *
 * Private stacks read their thread's log independently, in parallel (OpenMP tasks). If threads
 * share a stack, all logs are read side by side, in the order of interleaving.h, and private stacks
 * are fed from the same pass. The result is the same for any number of OpenMP threads.
 */
#ifndef FT_ENGINE_REUSE_TRACE_REPLAY_H
#define FT_ENGINE_REUSE_TRACE_REPLAY_H

#include "engine/reuse/work/replay_options.h"

/* Fills *histograms, which must be empty, except for metadata and hash; not at all for a part. */
int ft_trace_replay(const struct ft_replay_pass *pass, struct ft_histograms *histograms,
                    struct ft_trace_replay_report *ret_report, struct ft_diag *diag);

#endif
