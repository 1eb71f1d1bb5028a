/*
 * How well the branches that end basic blocks are predicted: windows of a trace's records on the
 * branch predictor, which short traces are as a whole. `replay` keeps it with the blocks, so that a
 * forecast knows which branches are as good as coins.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_BLOCK_PREDICTIONS_H
#define FT_ENGINE_SIMULATE_CORE_BLOCK_PREDICTIONS_H

#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

/* Fills scopes->predictions of the trace's blocks; nothing where no block has code. The same trace
 * gives the same counts. */
int ft_block_predictions_add(const struct ft_trace *trace, struct ft_scopes *scopes,
                             struct ft_diag *diag);

#endif
