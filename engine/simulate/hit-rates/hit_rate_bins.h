/*
 * Which hit rates there are, of a probe's points or of a program's basic blocks: 8 bins of growing
 * width for each cache (Tikir et al., SC 2007, section 2). A set of places, each a bin of the first
 * cache and one of the second (or of the only one, twice), with their counts and weights.
 */
#ifndef FT_ENGINE_SIMULATE_HIT_RATES_HIT_RATE_BINS_H
#define FT_ENGINE_SIMULATE_HIT_RATES_HIT_RATE_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/simulate/simulate_trace.h"
#include "machines/bandwidth/bandwidth_points.h"

#define FT_HIT_RATE_BINS 8
/* "99-100" ... "0-36", in per cent; a bin holds its upper end, the last one 0 as well. */
extern const char *const ft_hit_rate_bin_names[FT_HIT_RATE_BINS];

size_t ft_hit_rate_bin(double hit_rate);

struct ft_hit_rate_coverage {
    uint64_t counts[FT_HIT_RATE_BINS][FT_HIT_RATE_BINS]; /* [first cache][second] */
    double weights[FT_HIT_RATE_BINS][FT_HIT_RATE_BINS];  /* accesses */
};

/* hit_rates: cumulative, [cache_count], 1 or more. */
void ft_hit_rate_coverage_add(struct ft_hit_rate_coverage *coverage, const double *hit_rates,
                              size_t cache_count, double weight);
/* All points; each weighs 1. */
void ft_hit_rate_coverage_add_points(struct ft_hit_rate_coverage *coverage,
                                     const struct ft_bandwidth_points *points);
/* The basic blocks of a trace that was simulated on a machine with so many caches. */
void ft_hit_rate_coverage_add_trace(struct ft_hit_rate_coverage *coverage,
                                    const struct ft_simulated_trace *simulated, size_t cache_count);

#endif
