/*
 * All caches of one line size, estimated from a sample of touches: how many blocks of each set were
 * touched since the last touch of a sampled one (docs/simulate.md, "Sampled occupancy"). Far
 * cheaper than all_caches.h, with its result and its definitions.
 *
 * Distinct lines, touches and caches of one line are exact. With at least as many samples as there
 * are touches that move a block, everything is.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_SAMPLED_OCCUPANCY_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_SAMPLED_OCCUPANCY_H

#include "engine/simulate/all-caches/all_caches.h"

#define FT_SAMPLES_MAX (UINT64_C(1) << 24)

/* About `samples` (to twice that; at least 1) are taken; equal seeds give equal samples. */
int ft_sampled_occupancy(uint64_t line_bytes, unsigned set_bits, uint64_t samples, uint64_t seed,
                         struct ft_run_source *source, struct ft_progress *progress,
                         struct ft_all_caches *ret_caches, struct ft_diag *diag);

#endif
