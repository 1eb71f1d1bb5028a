/*
 * Stacks that several threads of a trace share, and the private ones beside them: all logs are read
 * side by side in the order of interleaving.h, and each stack takes what its threads read. Runs in
 * one thread. After a failure the stacks say how to retry.
 */
#ifndef FT_ENGINE_REUSE_THREADS_SHARED_STACKS_H
#define FT_ENGINE_REUSE_THREADS_SHARED_STACKS_H

#include "engine/reuse/work/trace_work.h"

/* Fills the dense histograms of all stacks, and the strides and counts of all readers. */
int ft_shared_stacks_replay(struct ft_trace_work *work, struct ft_diag *diag);

#endif
