#include "fit/methods/ensemble.h"

#include <math.h>
#include <stdlib.h>

#include "fit/methods/tail_median.h"

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

/* Adds a member, in its place by weight; of equals the first method stays first. */
static int add_member(const struct ft_fit_method *method, const struct ft_fit_task *task,
                      size_t index, double weight, struct ft_model_histogram *histogram,
                      struct ft_diag *diag)
{
    struct ft_model_member member = {.method = (uint32_t)index, .weight = weight};
    int status = method->fit(task, &member, diag);
    size_t at = histogram->member_count++;
    for (; at > 0 && histogram->members[at - 1].weight < weight; at--)
        histogram->members[at] = histogram->members[at - 1];
    histogram->members[at] = member;
    return status;
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

/* The other methods beside the first. */
static int add_others(const struct ft_held_out *held_out,
                      const struct ft_fit_method *const *methods, const struct ft_fit_task *task,
                      struct ft_model_histogram *histogram, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 1; methods[i] && i < FT_MEMBERS_MAX && status == FT_OK; i++) {
        double error = 0;
        status = ft_held_out_error(held_out, methods[i], task, &error, diag);
        if (status == FT_OK)
            status = add_member(methods[i], task, i, pow(fmax(error, FT_ENSEMBLE_FLOOR), -2),
                                histogram, diag);
    }
    return status;
}

int ft_ensemble_fit(const struct ft_held_out *held_out, const struct ft_fit_method *const *methods,
                    const struct ft_fit_task *task, struct ft_model_histogram *ret_histogram,
                    struct ft_diag *diag)
{
    double error = 0;
    ret_histogram->members = calloc(FT_MEMBERS_MAX, sizeof *ret_histogram->members);
    if (!ret_histogram->members)
        return ft_fail_memory(diag, "a modelled histogram");
    int status = add_member(methods[0], task, 0, 1, ret_histogram, diag);
    if (status < 0 || !methods[1] || !held_out->fitter || is_exact(&ret_histogram->members[0]))
        return status;
    status = ft_held_out_error(held_out, methods[0], task, &error, diag);
    if (status < 0 || error <= FT_ENSEMBLE_FLOOR)
        return status;
    ret_histogram->members[0].weight = 1 / (error * error);
    status = add_others(held_out, methods, task, ret_histogram, diag);
    if (status == FT_OK)
        drop_light(ret_histogram);
    return status;
}
