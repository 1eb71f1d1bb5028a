#include "fit/methods/ensemble.h"

#include <math.h>
#include <stdlib.h>

#include "fit/methods/held_out.h"
#include "fit/methods/tail_median.h"

#define SETTLED    0.1  /* an error at the largest size, below which cuts and terms hold */
#define SIZES_MANY 7U   /* of which one does not change them */
#define NEGLIGIBLE 0.02 /* of the heaviest member's weight */

/* An error of 0 over all sizes, proven by one to spare. */
static bool is_exact(const struct ft_model_member *member)
{
    for (size_t i = 0; i < member->bin_count; i++)
        if (!member->bins[i].tail.exact || !member->bins[i].distance_blocks.exact)
            return false;
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
    return error <= SETTLED || ft_fitter_axis(ensemble->task->fitter)->count >= SIZES_MANY;
}

/* Fits a method without the largest size, which gives its error, and to all sizes; without each of
 * the others too where its error is small. There are members of all histograms also after an error.
 */
static int fit_members(const struct ensemble *ensemble, size_t method,
                       struct ft_model_member members[2 + FT_LEAVE_OUT_MAX], double *ret_error)
{
    const struct ft_fit_method *fitted = ensemble->methods[method];
    struct ft_fit_task task = *ensemble->task;
    struct ft_model_member *held_out = &members[ensemble->last];
    int status = FT_OK;
    *ret_error = 0;
    for (size_t i = 0; i <= ensemble->last; i++)
        members[i] = (struct ft_model_member){.method = (uint32_t)method, .weight = 1};
    if (ensemble->last > 0) {
        status = fitted->fit(&ensemble->others[ensemble->last - 1], held_out, ensemble->diag);
        if (status == FT_OK)
            status = ft_held_out_error(held_out, &task, ret_error, ensemble->diag);
    }
    if (!is_settled(ensemble, *ret_error))
        task.leave_out = NULL;
    return status == FT_OK ? fitted->fit(&task, members, ensemble->diag) : status;
}

/* Adds a member to all histograms, in its place by weight; of equals the first method stays first.
 */
static void add_members(const struct ensemble *ensemble, double weight,
                        const struct ft_model_member members[2 + FT_LEAVE_OUT_MAX])
{
    for (size_t i = 0; i <= ensemble->last; i++) {
        struct ft_model_histogram *histogram = ensemble->histograms->all[i];
        size_t at = histogram->member_count++;
        for (; at > 0 && histogram->members[at - 1].weight < weight; at--)
            histogram->members[at] = histogram->members[at - 1];
        histogram->members[at] = members[i];
        histogram->members[at].weight = weight;
    }
}

/* Members of one method that are not settled, fitted anew without each size. */
static int refit(const struct ensemble *ensemble, size_t method)
{
    int status = FT_OK;
    for (size_t i = 1; i < ensemble->last; i++) {
        struct ft_model_histogram *histogram = ensemble->histograms->all[i];
        for (size_t j = 0; j < histogram->member_count && status == FT_OK; j++)
            if (histogram->members[j].method == method)
                status = ensemble->methods[method]->fit(&ensemble->others[i - 1],
                                                        &histogram->members[j], ensemble->diag);
    }
    return status;
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

int ft_ensemble_fit(const struct ft_fit_method *const *methods, const struct ft_fit_task *task,
                    const struct ft_fit_task *others, struct ft_ensemble_histograms *histograms,
                    struct ft_diag *diag)
{
    const size_t last = histograms->count - 1;
    const struct ensemble ensemble = {methods, task, others, histograms, last, diag};
    struct ft_model_member members[2 + FT_LEAVE_OUT_MAX];
    double errors[FT_METHODS_MAX];
    size_t count = 0;
    int status = make_room(&ensemble);
    bool alone = false;
    for (; methods[count] && !alone && status == FT_OK; count++) {
        status = fit_members(&ensemble, count, members, &errors[count]);
        alone =
            count == 0 && (last == 0 || errors[0] <= FT_ENSEMBLE_FLOOR || is_exact(&members[0]));
        add_members(&ensemble, alone ? 1 : weight_of(errors[count]), members);
    }
    for (size_t i = 0; i <= last && !alone && status == FT_OK; i++)
        drop_light(histograms->all[i]);
    for (size_t method = 0; method < count && status == FT_OK; method++)
        if (!is_settled(&ensemble, errors[method]))
            status = refit(&ensemble, method);
    return status;
}
