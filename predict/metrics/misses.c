/*
 * P(X >= k) for X ~ Binomial(n, 1/s) is the regularised incomplete beta function I_{1/s}(k, n-k+1),
 * which takes real n too: a bin's distance is a mean. GSL computes it without cancellation. For a
 * million ways and more its continued fraction may not end near the median; there the normal
 * distribution is right to 1e-3.
 */
#include "predict/metrics/misses.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "predict/metrics/set_chances.h"

double ft_miss_probability(double sets, double ways, double distance_blocks)
{
    if (distance_blocks < ways)
        return 0;
    if (sets <= 1)
        return 1;
    double probability = gsl_cdf_beta_P(1 / sets, ways, distance_blocks - ways + 1);
    if (isnan(probability)) {
        double mean = distance_blocks / sets;
        double deviation = sqrt(mean * (1 - 1 / sets));
        probability = 0.5 * erfc((ways - 0.5 - mean) / (deviation * M_SQRT2));
    }
    return fmin(fmax(probability, 0), 1);
}

struct ft_miss_count ft_count_misses(const struct ft_forecast *forecast, uint64_t blocks,
                                     uint64_t ways, double scale,
                                     const struct ft_set_chances *chances)
{
    uint64_t whole_sets = blocks / ways;
    double sets = whole_sets > 1 ? scale * (double)whole_sets : 1;
    double set_ways = whole_sets > 1 ? (double)ways : scale * (double)ways;
    struct ft_miss_count misses = {ft_forecast_misses(forecast, scale * (double)blocks),
                                   forecast->cold};
    for (size_t i = 0; i < forecast->bin_count; i++) {
        const double distance = forecast->bins[i].distance_blocks;
        misses.set_associative += forecast->bins[i].touches *
                                  (chances ? ft_set_chance(chances, distance, FT_SET_CHANCE_MEAN)
                                           : ft_miss_probability(sets, set_ways, distance));
    }
    return misses;
}
