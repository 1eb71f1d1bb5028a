/*
 * How far methods are from a size that they were not shown: each of the largest training sizes is
 * left out in turn, a method is fitted to the others, and its histogram at that size is held
 * against what was measured there.
 *
 * An error is the mean, over the logarithm of the cache's size from 1 block to the farthest
 * distance, of the relative error of the misses. So it is 0 for the right histogram, 1 at most, and
 * little for one whose distances are slightly off.
 *
 * Held-out axes are immutable after init and may be shared by threads; fitters on them are of one.
 */
#ifndef FT_FIT_HELD_OUT_H
#define FT_FIT_HELD_OUT_H

#include "fit/evaluate.h"
#include "fit/methods/method.h"

#define FT_HELD_OUT_MAX   3U
#define FT_HELD_OUT_LEAST 4U /* training sizes, of which one is left out */

/* The axes without one of the largest sizes each, the largest first; none where there are fewer
 * than FT_HELD_OUT_LEAST sizes. */
struct ft_held_out_axes {
    size_t count;
    size_t sizes[FT_HELD_OUT_MAX]; /* that are left out */
    struct ft_axis axes[FT_HELD_OUT_MAX];
    bool have_data;
    struct ft_axis data_axes[FT_HELD_OUT_MAX];
};
/* data: the axis of the data sizes, NULL where the model runs over these. */
int ft_held_out_axes_init(struct ft_held_out_axes *held_out, const struct ft_axis *axis,
                          const struct ft_axis *data, struct ft_diag *diag);
void ft_held_out_axes_fini(struct ft_held_out_axes *held_out);

struct ft_held_out_fitters {
    const struct ft_held_out_axes *axes;
    struct ft_fitter *fitters[FT_HELD_OUT_MAX];
};
int ft_held_out_fitters_init(struct ft_held_out_fitters *fitters,
                             const struct ft_held_out_axes *axes, struct ft_diag *diag);
void ft_held_out_fitters_fini(struct ft_held_out_fitters *fitters);

/* The root mean square over the sizes left out of a method's error there, for a task that has all
 * sizes. There must be such sizes. */
int ft_held_out_error(const struct ft_held_out_fitters *fitters, const struct ft_fit_method *method,
                      const struct ft_fit_task *task, double *ret_error, struct ft_diag *diag);

/* The error of a histogram, by ascending distance, against a measured one. */
double ft_histogram_error(const struct ft_forecast_bin *bins, size_t bin_count,
                          const struct ft_profile *measured);

#endif
