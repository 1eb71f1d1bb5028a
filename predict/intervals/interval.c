/*
 * The jackknife's variance of a value x from k replicas x_i is (k - 1) / k times the sum of (x_i -
 * mean)^2; the interval is t standard errors wide to either side of the value and of that mean. A
 * replica that chose other terms is far from the others and widens it, as it should: the sizes then
 * do not determine the terms. Nor do they if the model chose other terms than all of its replicas,
 * which agree with each other but not with it.
 */
#include "predict/intervals/interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define AGREE 1e-9 /* relative: rounding alone */

double ft_interval_errors(size_t count)
{
    return count > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)count - 1) : INFINITY;
}

static double mean_of(const struct ft_evidence *evidence)
{
    double sum = 0;
    for (size_t i = 0; i < evidence->replica_count; i++)
        sum += evidence->replicas[i];
    return sum / (double)evidence->replica_count;
}

static double jackknife_error(const struct ft_evidence *evidence)
{
    const double count = (double)evidence->replica_count, mean = mean_of(evidence);
    double square = 0;
    for (size_t i = 0; i < evidence->replica_count; i++)
        square += pow(evidence->replicas[i] - mean, 2);
    return sqrt(square * (count - 1) / count);
}

/* Whether the value agrees with what all replicas say, rounding apart. */
static bool agree(const struct ft_evidence *evidence)
{
    double tolerance = AGREE * fabs(evidence->estimate);
    for (size_t i = 0; i < evidence->replica_count; i++)
        if (fabs(evidence->replicas[i] - evidence->estimate) > tolerance)
            return false;
    for (size_t i = 0; i < evidence->alternative_count; i++)
        if (fabs(evidence->alternatives[i] - evidence->estimate) > tolerance)
            return false;
    return true;
}

struct ft_interval ft_interval_of(const struct ft_evidence *evidence)
{
    const double estimate = evidence->estimate;
    if (evidence->replica_count < 2)
        return (struct ft_interval){NAN, NAN, false, false};
    double floor = fmax(evidence->floor_relative * fabs(estimate), evidence->floor_absolute);
    if (agree(evidence))
        return (struct ft_interval){fmax(estimate - floor, 0), estimate + floor, floor == 0, true};
    double half = ft_interval_errors(evidence->replica_count) * jackknife_error(evidence);
    double mean = mean_of(evidence);
    const double exact = fmin(evidence->exact, estimate), rest = estimate - exact;
    double low = fmin(fmin(estimate, mean) - half, exact + rest * exp(-evidence->factor));
    double high = fmax(fmax(estimate, mean) + half, exact + rest * exp(evidence->factor));
    for (size_t i = 0; i < evidence->alternative_count; i++) {
        low = fmin(low, evidence->alternatives[i]);
        high = fmax(high, evidence->alternatives[i]);
    }
    bool known = ft_interval_is_informative(estimate, low, high, evidence->floor_absolute);
    low = fmax(fmin(low, estimate - floor), 0);
    high = fmax(high, estimate + floor);
    return (struct ft_interval){low, high, false, known};
}

void ft_interval_reach(double value, double resolution, const double *ends, size_t end_count,
                       struct ft_interval *interval)
{
    if (isnan(interval->low))
        return;
    for (size_t i = 0; i < end_count; i++) {
        interval->exact = interval->exact && fabs(ends[i] - value) <= AGREE * fabs(value);
        interval->low = fmax(fmin(interval->low, ends[i]), 0);
        interval->high = fmax(interval->high, ends[i]);
    }
    interval->known = interval->known &&
                      ft_interval_is_informative(value, interval->low, interval->high, resolution);
}
