/*
 * One reuse-distance histogram (docs/replay.md has the definitions).
 *
 * Distance: distinct OTHER blocks touched since the last touch of this block; an immediate repeat
 * has distance 0; a first touch is cold and counted apart. Bins are log-linear: exact below 64,
 * then 16 per octave; each keeps its count and the sum of its distances, so that means stay exact.
 */
#ifndef FT_FORMATS_HISTOGRAMS_HISTOGRAM_H
#define FT_FORMATS_HISTOGRAMS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_BIN_EXACT       64U /* distances below have a bin each */
#define FT_BINS_PER_OCTAVE 16U
#define FT_BIN_COUNT       (FT_BIN_EXACT + FT_BINS_PER_OCTAVE * (64U - 6U))

/* The bin of a distance, and the lowest and highest distance of a bin (in blocks). */
static inline uint32_t ft_bin_of(uint64_t distance_blocks)
{
    if (distance_blocks < FT_BIN_EXACT)
        return (uint32_t)distance_blocks;
    unsigned octave = 63U - (unsigned)__builtin_clzll(distance_blocks);
    return FT_BIN_EXACT + FT_BINS_PER_OCTAVE * (octave - 6U) +
           (uint32_t)((distance_blocks >> (octave - 4U)) & (FT_BINS_PER_OCTAVE - 1U));
}
static inline uint64_t ft_bin_low(uint32_t bin)
{
    if (bin < FT_BIN_EXACT)
        return bin;
    unsigned octave = 6U + (bin - FT_BIN_EXACT) / FT_BINS_PER_OCTAVE;
    uint64_t step = (bin - FT_BIN_EXACT) % FT_BINS_PER_OCTAVE;
    return (FT_BINS_PER_OCTAVE + step) << (octave - 4U);
}
static inline uint64_t ft_bin_high(uint32_t bin)
{
    return bin + 1 < FT_BIN_COUNT ? ft_bin_low(bin + 1) - 1 : UINT64_MAX;
}

struct ft_bin {
    uint32_t bin;
    uint64_t count;        /* touches */
    uint64_t distance_sum; /* of their distances, blocks */
};

struct ft_histogram {
    uint64_t touches; /* cold + sum of counts */
    uint64_t cold;
    struct ft_bin *bins; /* sorted by bin, only those with count > 0 */
    size_t bin_count;
};

/* Frees the bins too; NULL is allowed. */
void ft_histogram_array_free(struct ft_histogram *histograms, size_t count);
/* Adds the touches of one histogram to another. */
int ft_histogram_add(struct ft_histogram *sum, const struct ft_histogram *histogram,
                     struct ft_diag *diag);

/* Whether both have the same touches, bin by bin. */
bool ft_histogram_is_same(const struct ft_histogram *a, const struct ft_histogram *b);

#endif
