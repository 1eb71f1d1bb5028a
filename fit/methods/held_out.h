/*
 * How far methods are from sizes that they were not shown: the largest training size is left out,
 * or those with the largest value of a parameter, a method is fitted to the others, and its
 * histogram there is held against what was measured. Forecasts go beyond the largest size, so it
 * tells more than the smaller ones, between which every method does well.
 *
 * An error is the mean, over the logarithm of the cache's size from 1 block to the farthest
 * distance, of the relative error of the misses. So it is 0 for the right histogram, 1 at most, and
 * little for one whose distances are slightly off.
 *
 * Pure and thread safe.
 */
#ifndef FT_FIT_METHODS_HELD_OUT_H
#define FT_FIT_METHODS_HELD_OUT_H

#include "fit/evaluate/evaluate.h"
#include "fit/methods/method.h"

/* The mean error at some sizes of a task that has all (bit k: size k), of a member that was fitted
 * to the others. */
int ft_held_out_error(const struct ft_model_member *member, const struct ft_fit_task *task,
                      uint64_t sizes, double *ret_error, struct ft_diag *diag);

/* The error of a histogram, by ascending distance, against a measured one. */
double ft_histogram_error(const struct ft_forecast_bin *bins, size_t bin_count,
                          const struct ft_profile *measured);

#endif
