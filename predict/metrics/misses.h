/*
 * Misses from reuse distances: fully associative, and set-associative, as blocks fell into sets
 * where that was sampled, or at random (set_chances.h). Distances in blocks, counts of touches as
 * real numbers. Cold misses always miss. Thread safe.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_MISSES_H
#define FT_PREDICT_METRICS_MISSES_H

#include "fit/evaluate/evaluate.h"
#include "formats/histograms/histogram.h"
#include "predict/metrics/set_chances.h"

struct ft_miss_count {
    double fully_associative;
    double set_associative;
};

/* Misses of the cache whose sets these are. */
struct ft_miss_count ft_count_misses(const struct ft_forecast *forecast,
                                     const struct ft_set_chances *chances);

/* A histogram as forecasts are: bins, for which there must be room, at the means of their
 * distances. */
void ft_forecast_of_histogram(const struct ft_histogram *histogram, struct ft_forecast *forecast);
struct ft_miss_count ft_count_histogram_misses(const struct ft_histogram *histogram,
                                               const struct ft_set_chances *chances);

#endif
