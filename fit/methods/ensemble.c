/* The error of a member at the sizes left out; the members of a histogram, the heaviest first; then
 * the methods one after the other, as long as none is good enough to stand alone. */
#include "fit/methods/ensemble.h"

#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/tail_median.h"
#include "fit/methods/methods.h"

#define ROUNDING   2.0  /* misses: an error relative to fewer says nothing */
#define SETTLED    0.1  /* an error at the largest size, below which cuts and terms hold */
#define SIZES_MANY 7U   /* of which one does not change them */
#define NEGLIGIBLE 0.02 /* of the heaviest member's weight */

/* ---- errors at sizes left out ---- */

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
        double misses = fmax(forecast, found) + cold + ROUNDING;
        area += fabs(forecast - found) / misses * (log1p(next) - from);
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

/* The mean error of a member, fitted to the other sizes, at the sizes of a task whose bits are set.
 */
static int held_out_error(const struct ft_model_member *member, const struct ft_fit_task *task,
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

/* ---- members ---- */

/* An error of 0 over all sizes, proven by one to spare. */
static bool is_exact(const struct ft_member_bins *bins)
{
    for (size_t i = 0; i < ft_member_bins_count(bins); i++) {
        const struct ft_model_bin bin = ft_member_bin(bins, i);
        if (!bin.tail.exact || !bin.distance_blocks.exact)
            return false;
    }
    return true;
}

static void drop_from(struct ft_model_histogram *histogram, size_t first)
{
    for (size_t i = first; i < histogram->member_count; i++)
        free(histogram->members[i].bins);
    histogram->member_count = histogram->member_count < first ? histogram->member_count : first;
}

/* Members that change the median by nothing, or next to nothing; weights are then relative to the
 * heaviest. */
static void drop_light(struct ft_model_histogram *histogram)
{
    double heaviest = histogram->members[0].weight, others = 0;
    size_t kept = 1;
    while (kept < histogram->member_count &&
           histogram->members[kept].weight >= NEGLIGIBLE * heaviest)
        others += histogram->members[kept++].weight;
    drop_from(histogram, heaviest > others ? 1 : kept);
    for (size_t i = 0; i < histogram->member_count; i++)
        histogram->members[i].weight /= heaviest;
}

/* What all steps share. Members [1, last) are without each size of the task's leave-out, the last
 * one is without the largest. */
struct ensemble {
    const struct ft_fit_method *const *methods;
    const struct ft_fit_task *task;
    const struct ft_fit_task *others; /* of histograms 1 to last */
    struct ft_ensemble_histograms *histograms;
    size_t last;
    struct ft_diag *diag;
};

/* Whether a method's cuts and terms hold: a size that is left out between the others then changes
 * coefficients alone. */
static bool is_settled(const struct ensemble *ensemble, double error)
{
    return error <= SETTLED || ft_fitter_axis(ensemble->task->fitter)->distinct[0] >= SIZES_MANY;
}

/* Packs what a method made, which goes. */
static int take_bins(struct ft_fit_member *made, struct ft_model_member *member,
                     struct ft_diag *diag)
{
    member->over_data = made->over_data;
    member->bins = ft_member_bins_of(made->bins, made->bin_count);
    free(made->bins);
    *made = (struct ft_fit_member){0};
    return member->bins ? FT_OK : ft_fail_memory(diag, "a modelled histogram");
}

static double weight_of(double error)
{
    return pow(fmax(error, FT_ENSEMBLE_FLOOR), -2);
}

/* No members yet; room for all methods. */
static int make_room(const struct ensemble *ensemble)
{
    size_t count = 0;
    while (ensemble->methods[count])
        count++;
    for (size_t i = 0; i <= ensemble->last; i++) {
        struct ft_model_histogram *histogram = ensemble->histograms->all[i];
        histogram->members = calloc(count, sizeof *histogram->members);
        if (!histogram->members)
            return ft_fail_memory(ensemble->diag, "a modelled histogram");
    }
    return FT_OK;
}

/* A method's error at the largest size; with the members of the fit without it, and empty ones in
 * the other histograms, in their place by weight. Of equals the first method stays first. */
static int weigh_method(const struct ensemble *ensemble, size_t method, double *ret_error)
{
    struct ft_model_member held_out = {.method = (uint32_t)method};
    int status = FT_OK;
    *ret_error = 0;
    if (ensemble->last > 0) {
        struct ft_fit_member made = {0};
        status = ensemble->methods[method]->fit(&ensemble->others[ensemble->last - 1], &made,
                                                ensemble->diag);
        const int taken = take_bins(&made, &held_out, ensemble->diag);
        status = status < 0 ? status : taken;
        if (status == FT_OK)
            status = held_out_error(&held_out, ensemble->task, ensemble->histograms->held_out,
                                    ret_error, ensemble->diag);
    }
    held_out.weight = weight_of(*ret_error);
    for (size_t i = 0; i <= ensemble->last; i++) {
        struct ft_model_histogram *histogram = ensemble->histograms->all[i];
        size_t at = histogram->member_count++;
        for (; at > 0 && histogram->members[at - 1].weight < held_out.weight; at--)
            histogram->members[at] = histogram->members[at - 1];
        histogram->members[at] = held_out;
        if (i < ensemble->last)
            histogram->members[at].bins = NULL;
    }
    return status;
}

/* A method's member of a histogram; NULL: it was dropped. */
static struct ft_model_member *member_of(const struct ensemble *ensemble, size_t histogram,
                                         size_t method)
{
    const struct ft_model_histogram *from = ensemble->histograms->all[histogram];
    for (size_t i = 0; i < from->member_count; i++)
        if (from->members[i].method == method)
            return &from->members[i];
    return NULL;
}

/* Fits a method that was not dropped to all sizes, and without each below the largest: with the
 * same cuts and terms, or where these do not hold again. */
static int fit_method(const struct ensemble *ensemble, size_t method, double error)
{
    const struct ft_fit_method *fitted = ensemble->methods[method];
    struct ft_fit_task task = *ensemble->task;
    struct ft_fit_member members[1 + FT_LEAVE_OUT_MAX] = {{0}};
    const bool settled = is_settled(ensemble, error);
    const size_t versions = ensemble->last > 0 ? ensemble->last : 1;
    task.bins_likely = ft_member_bins_count(member_of(ensemble, ensemble->last, method)->bins);
    if (!settled)
        task.leave_out = NULL;
    int status = fitted->fit(&task, members, ensemble->diag);
    for (size_t i = 0; i < versions; i++) {
        struct ft_model_member *into = member_of(ensemble, i, method);
        if (i > 0 && !settled && status == FT_OK)
            status = fitted->fit(&ensemble->others[i - 1], &members[i], ensemble->diag);
        const int taken = take_bins(&members[i], into, ensemble->diag);
        status = status < 0 ? status : taken;
    }
    return status;
}

/* The first method's members alone. */
static void stand_alone(const struct ensemble *ensemble)
{
    for (size_t i = 0; i <= ensemble->last; i++)
        ensemble->histograms->all[i]->members[0].weight = 1;
}

int ft_ensemble_fit(const struct ft_fit_method *const *methods, const struct ft_fit_task *task,
                    const struct ft_fit_task *others, struct ft_ensemble_histograms *histograms,
                    struct ft_diag *diag)
{
    const struct ensemble ensemble = {methods, task, others, histograms, histograms->count - 1,
                                      diag};
    double errors[FT_METHODS_MAX];
    FT_TRY(make_room(&ensemble));
    FT_TRY(weigh_method(&ensemble, 0, &errors[0]));
    FT_TRY(fit_method(&ensemble, 0, errors[0]));
    if (ensemble.last == 0 || errors[0] <= FT_ENSEMBLE_FLOOR || !methods[1] ||
        is_exact(histograms->all[0]->members[0].bins)) {
        stand_alone(&ensemble);
        return FT_OK;
    }
    for (size_t i = 1; methods[i]; i++)
        FT_TRY(weigh_method(&ensemble, i, &errors[i]));
    for (size_t i = 0; i <= ensemble.last; i++)
        drop_light(histograms->all[i]);
    for (size_t i = 1; methods[i]; i++)
        if (member_of(&ensemble, 0, i))
            FT_TRY(fit_method(&ensemble, i, errors[i]));
    return FT_OK;
}
