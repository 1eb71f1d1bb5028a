/*
 * How far methods are from a size that they were not shown: the largest training size is left out,
 * a method is fitted to the others, and its histogram there is held against what was measured.
 * Forecasts go beyond the largest size, so it tells more than the smaller ones, between which every
 * method does well.
 *
 * An error is the mean, over the logarithm of the cache's size from 1 block to the farthest
 * distance, of the relative error of the misses. So it is 0 for the right histogram, 1 at most, and
 * little for one whose distances are slightly off.
 *
 * Axes are immutable after init and may be shared by threads; a fitter on them is of one.
 */
#ifndef FT_FIT_HELD_OUT_H
#define FT_FIT_HELD_OUT_H

#include "fit/evaluate.h"
#include "fit/methods/method.h"

#define FT_HELD_OUT_LEAST 4U /* training sizes, of which one is left out */

/* The axes without the largest size; empty where there are fewer than FT_HELD_OUT_LEAST. */
struct ft_held_out_axes {
    struct ft_axis axis;
    struct ft_axis data; /* empty where the model runs over the data sizes */
};
/* data: the axis of the data sizes, NULL where the model runs over these. */
int ft_held_out_axes_init(struct ft_held_out_axes *held_out, const struct ft_axis *axis,
                          const struct ft_axis *data, struct ft_diag *diag);
void ft_held_out_axes_fini(struct ft_held_out_axes *held_out);

struct ft_held_out {
    const struct ft_held_out_axes *axes;
    struct ft_fitter *fitter; /* NULL where no size can be left out */
};
int ft_held_out_init(struct ft_held_out *held_out, const struct ft_held_out_axes *axes,
                     struct ft_diag *diag);
void ft_held_out_fini(struct ft_held_out *held_out);

/* A method's error at the largest size, for a task that has all sizes. The size must be one that
 * can be left out. */
int ft_held_out_error(const struct ft_held_out *held_out, const struct ft_fit_method *method,
                      const struct ft_fit_task *task, double *ret_error, struct ft_diag *diag);

/* The error of a histogram, by ascending distance, against a measured one. */
double ft_histogram_error(const struct ft_forecast_bin *bins, size_t bin_count,
                          const struct ft_profile *measured);

#endif
