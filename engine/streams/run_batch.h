/*
 * What every simulation asks of a batch of runs before it takes it, and how many accesses are in
 * it.
 */
#ifndef FT_ENGINE_STREAMS_RUN_BATCH_H
#define FT_ENGINE_STREAMS_RUN_BATCH_H

#include "formats/expand/runs.h"

/* Whether all runs lie in the batch and all references exist: what a simulation relies on. */
int ft_run_batch_check(const struct ft_run_source *source, const struct ft_run_batch *batch,
                       struct ft_diag *diag);
/* Adds the batch's accesses to counts by reference; how many they are. */
uint64_t ft_run_batch_count(const struct ft_run_batch *batch, uint64_t *accesses);

#endif
