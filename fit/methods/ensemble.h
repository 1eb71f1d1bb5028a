/*
 * The ensemble of methods: no one is the best for all histograms (docs/fit.md, "Histograms").
 * Each is weighed by 1 / error^2, its error at the largest training size, or those of the largest
 * value of the first parameter, when that is left out (held_out.h); what the members say together
 * is the weighted median of their tails (tail_median.h).
 *
 * Lazy: where the first method is exact, or right but for FT_ENSEMBLE_FLOOR, no other is asked; a
 * member that weighs more than all others together is the median, so they are dropped; so are those
 * that weigh next to nothing.
 */
#ifndef FT_FIT_METHODS_ENSEMBLE_H
#define FT_FIT_METHODS_ENSEMBLE_H

#include "fit/methods/method.h"

#define FT_ENSEMBLE_FLOOR 1e-3 /* errors below count as this */

/* A histogram of the model, and what it is without sizes: those of the task's leave-out, then the
 * largest one. */
struct ft_ensemble_histograms {
    struct ft_model_histogram *all[2 + FT_LEAVE_OUT_MAX];
    size_t count;      /* 1: no size can be left out, and the first method stands alone */
    uint64_t held_out; /* the sizes that the last one is fitted without */
};

/* Fits methods, NULL after the last, to a task; fills members, the heaviest first, with the
 * methods' places in the list. All histograms get the same methods and weights. others: the same
 * task without each size, [histograms->count - 1]. */
int ft_ensemble_fit(const struct ft_fit_method *const *methods, const struct ft_fit_task *task,
                    const struct ft_fit_task *others, struct ft_ensemble_histograms *histograms,
                    struct ft_diag *diag);

#endif
