/*
 * The working-set curve of one block size from the times between touches (docs/footprint.md;
 * Denning 1968; Xiang et al., ASPLOS 2013, section 3).
 *
 * A gap is the number of accesses from one touch of a block to its next; the start of the program
 * counts as a touch at time 0 of every block, its end as one at time n + 1. A window of w
 * accesses does not touch a block if it lies inside one of its gaps, and a gap g > w holds g - w
 * windows.
 */
#ifndef FT_ENGINE_FOOTPRINT_GAPS_H
#define FT_ENGINE_FOOTPRINT_GAPS_H

#include <stdint.h>

#define FT_GAP_BINS 65U

__extension__ typedef unsigned __int128 ft_wide;

struct ft_gaps {
    uint64_t counts[FT_GAP_BINS]; /* [k]: gaps of 2^(k-1) + 1 .. 2^k; [0]: of 1 */
    ft_wide sums[FT_GAP_BINS];
};

static inline void ft_gaps_add(struct ft_gaps *gaps, uint64_t gap, uint64_t weight)
{
    unsigned bin = gap > 1 ? 64U - (unsigned)__builtin_clzll(gap - 1) : 0;
    gaps->counts[bin] += weight;
    gaps->sums[bin] += (ft_wide)gap * weight;
}

/* Distinct blocks in each window of w = 2^log2_accesses accesses, summed over all n - w + 1 of
 * them. w is at most n; blocks: all that were touched. */
ft_wide ft_gaps_window_sum(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses);
/* The mean of the same. */
double ft_gaps_window_mean(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses);

#endif
