/*
 * Combines the dense histograms of the LRU stacks into those of the trace: a single stack is the
 * result; of several, each stack's histograms are kept, and those of one partition of the threads
 * are summed. Pairs of references are kept for the sum only.
 */
#ifndef FT_ENGINE_REUSE_JOINED_STACKS_H
#define FT_ENGINE_REUSE_JOINED_STACKS_H

#include "engine/reuse/work/sharing.h"
#include "formats/histograms/histograms.h"

/* dense: [layout], each from ft_replay_finish, all of the same sizes and references; they are
 * emptied. Fills the members of *histograms that ft_replay_finish fills, with unknown strides, and
 * `stacks`. */
int ft_stacks_join(const struct ft_stack_layouts *layouts, struct ft_histograms *dense,
                   struct ft_histograms *histograms, struct ft_diag *diag);

#endif
