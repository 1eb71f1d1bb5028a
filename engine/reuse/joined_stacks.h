/*
 * From the dense histograms of each LRU stack to those of the trace: one stack alone is the trace's
 * result; of several, what each saw is kept, and those of one partition of the threads are added
 * up. Pairs of references are kept of that sum alone.
 */
#ifndef FT_ENGINE_REUSE_JOINED_STACKS_H
#define FT_ENGINE_REUSE_JOINED_STACKS_H

#include "engine/reuse/work/sharing.h"
#include "formats/histograms/histograms.h"

/* dense: [plan], each as ft_replay_finish gives it, all of the same sizes and references; they are
 * emptied. Fills of *histograms what ft_replay_finish fills, with strides unknown, and `stacks`. */
int ft_stacks_join(const struct ft_stack_layouts *plans, struct ft_histograms *dense,
                   struct ft_histograms *histograms, struct ft_diag *diag);

#endif
