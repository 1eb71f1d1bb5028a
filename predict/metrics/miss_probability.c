/*
 * P(X >= k) for X ~ Binomial(n, 1/s) is the regularised incomplete beta function I_{1/s}(k, n-k+1),
 * which takes real n too: a bin's distance is a mean. GSL computes it without cancellation. For a
 * million ways and more its continued fraction may not end near the median; there the normal
 * distribution is right to 1e-3.
 */
#include "predict/metrics/miss_probability.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

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
