/*
 * Distances within sets from a sample of touches (formats/histograms/set_distances.h), at one block
 * size. Far touches are few and matter most, and walks to them are long: each octave of the touches
 * since the last touch of a block has a sample of its own.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_SAMPLED_SETS_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_SAMPLED_SETS_H

#include "formats/base/progress.h"
#include "formats/expand/runs.h"
#include "formats/histograms/set_distances.h"

/* Adds the rows of block size number `size`, of 2 bytes to 2 MiB, unsorted, to *distances. progress
 * may be NULL. The same source gives the same rows. */
int ft_sampled_sets(uint32_t size, uint64_t block_bytes, struct ft_run_source *source,
                    struct ft_progress *progress, struct ft_set_distances *distances,
                    struct ft_diag *diag);

#endif
