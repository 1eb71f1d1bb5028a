/*
 * How sure a forecast is: a 95 % interval from the replicas of its model, each of which was fitted
 * without one of the training sizes (the jackknife; Efron & Tibshirani 1993, chapter 11), widened
 * if the same number, computed in other ways, differs. docs/predict.md, "Intervals". Pure and
 * thread safe.
 */
#ifndef FT_PREDICT_INTERVALS_INTERVAL_H
#define FT_PREDICT_INTERVALS_INTERVAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct ft_interval {
    double low, high; /* NAN without replicas: the uncertainty is unknown */
    bool exact;       /* all replicas agree to the last digit: a law that data confirmed */
    bool known;       /* the interval is not as wide as the value itself */
};

/* The evidence for one value. */
struct ft_evidence {
    double estimate;
    const double *replicas; /* [replica_count]: the same value by each replica */
    size_t replica_count;
    const double *alternatives; /* [alternative_count]: the same, computed otherwise */
    size_t alternative_count;
    double exact;          /* part of the estimate that the factor does not concern */
    double factor;         /* logarithm of a factor by which the rest may be off: as a forecast of
                            * the largest training size from the others was, or as the fit is at the
                            * training sizes */
    double floor_relative; /* no interval is narrower to either side: a model that is good to   */
    double floor_absolute; /* less may not claim it. Both 0: exact where all replicas agree */
};

/* Whether value and interval say nothing: then no number is shown. */
static inline bool ft_interval_is_refused(const struct ft_interval *interval)
{
    return !isnan(interval->low) && !interval->known;
}

/* Half an interval; INFINITY where nothing is known. */
static inline double ft_interval_half(const struct ft_interval *interval)
{
    return interval->known ? (interval->high - interval->low) / 2 : INFINITY;
}

/* As a share of the value. */
static inline double ft_interval_relative_half(double value, const struct ft_interval *interval)
{
    if (!interval->known)
        return INFINITY;
    return value > 0 ? ft_interval_half(interval) / value : 0;
}

/* One end of a count's: NAN where nothing is known; the value itself where there is no interval. */
static inline double ft_interval_end(double value, const struct ft_interval *interval, double end)
{
    if (ft_interval_is_refused(interval))
        return NAN;
    return isnan(end) ? value : fmax(end, 0);
}

/* Sizes, or replicas, from which on some size confirms a law: a line through three is confirmed by
 * one, which says little. */
#define FT_CONFIRMED_FROM 4U

/* Standard errors that 95 % lie within, where these are known. */
#define FT_NORMAL_ERRORS 1.96

/* Whether an interval around a value says anything: no end is as far away as the value itself, or
 * all of it is within the resolution. */
static inline bool ft_interval_is_informative(double value, double low, double high,
                                              double resolution)
{
    const double reach = fmax(value - low, high - value);
    return reach < value || reach <= resolution;
}

/* How many steps a forecast goes beyond the largest training size, in ratios; at least 1. The step
 * is that from a smaller training size to the largest. */
static inline double ft_forecast_reach(double target, double largest, double smaller)
{
    return fmax(log(target / largest) / log(largest / smaller), 1);
}

struct ft_interval ft_interval_of(const struct ft_evidence *evidence);

/* Makes an interval reach to the ends as well. resolution: of the value. */
void ft_interval_reach(double value, double resolution, const double *ends, size_t end_count,
                       struct ft_interval *interval);

/* The number of standard errors that 95 % lie within, estimated from so many values: Student's t
 * with count - 1 degrees of freedom. */
double ft_interval_errors(size_t count);

#endif
