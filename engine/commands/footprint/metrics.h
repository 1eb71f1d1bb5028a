/*
 * Numbers that the footprint reports derive from a footprint.
 */
#ifndef FT_ENGINE_COMMANDS_FOOTPRINT_METRICS_H
#define FT_ENGINE_COMMANDS_FOOTPRINT_METRICS_H

#include "engine/footprint/footprint.h"
#include "engine/simulate/interval_misses.h"

/* How many windows the working-set curve has: of 2^0, 2^1, ... accesses, up to all of them. */
unsigned ft_footprint_windows(const struct ft_footprint *footprint);
double ft_footprint_window_mean(const struct ft_footprint *footprint, size_t size,
                                unsigned log2_accesses);
/* Distinct blocks per interval, averaged over the intervals of a phase. */
double ft_footprint_phase_blocks(const struct ft_footprint *footprint, size_t phase, size_t size);
/* Set-associative misses of a level in the intervals of a phase. */
uint64_t ft_phase_misses(const struct ft_footprint *footprint,
                         const struct ft_interval_misses *misses, size_t phase, size_t level);
/* The scope that makes most of the accesses in a phase's first interval, and its share of them. */
uint32_t ft_phase_scope(const struct ft_scopes *scopes, const struct ft_phase *phase,
                        double *ret_share);

#endif
