/*
 * The ensemble of methods: no single one is best for all histograms (docs/fit.md, "Histograms").
 * Each is fitted without the largest training size, or without those of the largest value of the
 * first parameter; its weight is 1 / error^2 with its error there, because forecasts, too, go
 * beyond the largest size. The forecast is the weighted median of the members' tails
 * (tail_median.h).
 *
 * Lazy: where the first method is exact, or within FT_ENSEMBLE_FLOOR, no other is fitted.
 */
#ifndef FT_FIT_METHODS_ENSEMBLE_H
#define FT_FIT_METHODS_ENSEMBLE_H

#include "fit/evaluate/evaluate.h"
#include "fit/methods/method.h"

#define FT_ENSEMBLE_FLOOR 1e-3 /* smaller errors count as this one */

/* A histogram of the model, and the same fitted without sizes: without each of the task's
 * leave-out, then without the largest. */
struct ft_ensemble_histograms {
    struct ft_model_histogram *all[2 + FT_LEAVE_OUT_MAX];
    size_t count;      /* 1: no size can be left out, and the first method stands alone */
    uint64_t held_out; /* the sizes that the last one is fitted without */
};

/* Fits methods, a list that ends with NULL, to a task; fills members, the heaviest first, with the
 * methods' indices in the list. All histograms get the same methods and weights. others: the same
 * task without each size, [histograms->count - 1]. */
int ft_ensemble_fit(const struct ft_fit_method *const *methods, const struct ft_fit_task *task,
                    const struct ft_fit_task *others, struct ft_ensemble_histograms *histograms,
                    struct ft_diag *diag);

/* The error of a histogram, by ascending distance, against a measured one: the mean, over the
 * logarithm of the cache's size from 1 block to the farthest distance, of the relative error of the
 * misses. 0 for the right histogram, 1 at most, small for one whose distances are slightly off. */
double ft_histogram_error(const struct ft_forecast_bin *bins, size_t bin_count,
                          const struct ft_profile *measured);

#endif
