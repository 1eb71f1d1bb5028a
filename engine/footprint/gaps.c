#include "engine/footprint/gaps.h"

ft_wide ft_gaps_window_sum(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses)
{
    const uint64_t window = UINT64_C(1) << log2_accesses;
    ft_wide sum = (ft_wide)blocks * (accesses - window + 1);
    for (unsigned bin = log2_accesses + 1; bin < FT_GAP_BINS; bin++)
        sum -= gaps->sums[bin] - (ft_wide)gaps->counts[bin] * window;
    return sum;
}

double ft_gaps_window_mean(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses)
{
    uint64_t windows = accesses - (UINT64_C(1) << log2_accesses) + 1;
    return (double)ft_gaps_window_sum(gaps, blocks, accesses, log2_accesses) / (double)windows;
}
