#include "fit/methods/held_out.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 2.0 /* misses: an error relative to fewer says nothing */

int ft_held_out_axes_init(struct ft_held_out_axes *held_out, const struct ft_axis *axis,
                          const struct ft_axis *data, struct ft_diag *diag)
{
    *held_out = (struct ft_held_out_axes){0};
    if (axis->count < FT_HELD_OUT_LEAST)
        return FT_OK;
    int status = ft_axis_leave_out(axis, axis->count - 1, &held_out->axis, diag);
    if (status == FT_OK && data)
        status = ft_axis_leave_out(data, axis->count - 1, &held_out->data, diag);
    if (status < 0)
        ft_held_out_axes_fini(held_out);
    return status;
}

void ft_held_out_axes_fini(struct ft_held_out_axes *held_out)
{
    ft_axis_fini(&held_out->axis);
    ft_axis_fini(&held_out->data);
    *held_out = (struct ft_held_out_axes){0};
}

int ft_held_out_init(struct ft_held_out *held_out, const struct ft_held_out_axes *axes,
                     struct ft_diag *diag)
{
    *held_out = (struct ft_held_out){.axes = axes};
    return axes->axis.count > 0 ? ft_fitter_create(&axes->axis, &held_out->fitter, diag) : FT_OK;
}

void ft_held_out_fini(struct ft_held_out *held_out)
{
    ft_fitter_destroy(held_out->fitter);
    *held_out = (struct ft_held_out){0};
}

/* The next distance of either histogram, of which so many bins are passed; infinite after both. */
static double next_distance(const struct ft_forecast_bin *bins, size_t bin_count, size_t passed,
                            const struct ft_profile *measured, size_t atoms_passed)
{
    double forecast = passed < bin_count ? bins[passed].distance_blocks : INFINITY;
    double found =
        atoms_passed < measured->atom_count ? measured->distances_blocks[atoms_passed] : INFINITY;
    return fmin(forecast, found);
}

/* From one distance to the next all caches have the same misses. */
double ft_histogram_error(const struct ft_forecast_bin *bins, size_t bin_count,
                          const struct ft_profile *measured)
{
    double cold = (double)measured->cold, forecast = 0, area = 0, from = 0, next;
    size_t passed = 0, atoms_passed = 0;
    for (size_t i = 0; i < bin_count; i++)
        forecast += bins[i].touches;
    while ((next = next_distance(bins, bin_count, passed, measured, atoms_passed)) < INFINITY) {
        double found = measured->touches - measured->ranks[atoms_passed];
        double most = fmax(forecast, found) + cold + ROUNDING;
        area += fabs(forecast - found) / most * (log1p(next) - from);
        from = log1p(next);
        for (; passed < bin_count && bins[passed].distance_blocks <= next; passed++)
            forecast -= bins[passed].touches;
        while (atoms_passed < measured->atom_count &&
               measured->distances_blocks[atoms_passed] <= next)
            atoms_passed++;
        if (passed == bin_count)
            forecast = 0;
    }
    return from > 0 ? area / from : 0;
}

int ft_held_out_error(const struct ft_held_out *held_out, const struct ft_fit_method *method,
                      const struct ft_fit_task *task, double *ret_error, struct ft_diag *diag)
{
    const struct ft_axis *axis = ft_fitter_axis(task->fitter);
    const size_t largest = axis->count - 1;
    const struct ft_profile *measured = &task->profiles[largest];
    const struct ft_point *at = &axis->points[largest];
    struct ft_fit_task others = *task;
    others.fitter = held_out->fitter; /* the profiles of its sizes come first */
    others.data = task->data ? &held_out->axes->data : NULL;
    struct ft_model_member member = {0};
    int status = method->fit(&others, &member, diag);
    struct ft_forecast_bin *bins = malloc((member.bin_count + 1) * sizeof *bins);
    if (status == FT_OK && !bins)
        status = ft_fail_memory(diag, "a forecast histogram");
    if (status == FT_OK) {
        size_t bin_count =
            ft_member_forecast(&member, at, task->data ? &task->data->points[largest] : at,
                               measured->touches, ft_function_at(task->footprint, at), bins);
        *ret_error = ft_histogram_error(bins, bin_count, measured);
    }
    free(bins);
    free(member.bins);
    return status;
}
