/*
 * Checks a batch of runs before a simulation takes it, and counts its accesses.
 */
#ifndef FT_ENGINE_STREAMS_RUN_BATCH_H
#define FT_ENGINE_STREAMS_RUN_BATCH_H

#include "formats/expand/runs.h"

/* Checks that all runs lie within the batch and all references exist, which simulations rely on. */
int ft_run_batch_check(const struct ft_run_source *source, const struct ft_run_batch *batch,
                       struct ft_diag *diag);
/* Adds the batch's accesses to counts by reference; returns their number. */
uint64_t ft_run_batch_count(const struct ft_run_batch *batch, uint64_t *accesses);

#endif
