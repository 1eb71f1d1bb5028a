#include "fit/methods/held_out.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 2.0 /* misses: an error relative to fewer says nothing */

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

int ft_held_out_error(const struct ft_model_member *member, const struct ft_fit_task *task,
                      uint64_t sizes, double *ret_error, struct ft_diag *diag)
{
    const struct ft_axis *axis = ft_fitter_axis(task->fitter);
    double sum = 0, count = 0;
    struct ft_forecast_bin *bins = malloc((ft_member_bins_count(member->bins) + 1) * sizeof *bins);
    if (!bins)
        return ft_fail_memory(diag, "a forecast histogram");
    for (size_t k = 0; k < axis->count; k++) {
        const struct ft_profile *measured = &task->profiles[k];
        const struct ft_point *at = &axis->points[k];
        if (!(sizes >> k & 1))
            continue;
        size_t bin_count =
            ft_member_forecast(member, at, task->data ? &task->data->points[k] : at,
                               measured->touches, ft_function_at(task->footprint, at), bins);
        sum += ft_histogram_error(bins, bin_count, measured);
        count++;
    }
    *ret_error = sum / count;
    free(bins);
    return FT_OK;
}
