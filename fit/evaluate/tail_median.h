/*
 * Several forecasts of one histogram merged into one: at every distance the touches at or beyond
 * it, the tail, are the weighted median of the forecasts' tails. Tails do not rise with distance,
 * so neither does their median, and it is a histogram again. If one forecast outweighs all others
 * together, it is the median.
 *
 * Pure and thread safe.
 */
#ifndef FT_FIT_EVALUATE_TAIL_MEDIAN_H
#define FT_FIT_EVALUATE_TAIL_MEDIAN_H

#include <stddef.h>

struct ft_forecast_bin {
    double distance_blocks;
    double touches;
};

struct ft_weighted_forecast {
    double weight;                      /* above 0 */
    const struct ft_forecast_bin *bins; /* by ascending distance */
    size_t bin_count;
    /* While they are merged. */
    size_t next;
    double tail;
};

/* With equal weights below and above, the mean of the two middle values. */
double ft_weighted_median(const double *values, const double *weights, size_t count);

/* Forecasts of the same number of touches, at most FT_MEMBERS_MAX. Needs room for the bins of all;
 * returns how many bins there are, by ascending distance. */
#define FT_MEMBERS_MAX 16U
size_t ft_tail_median(struct ft_weighted_forecast *forecasts, size_t count, double touches,
                      struct ft_forecast_bin *ret_bins);

#endif
