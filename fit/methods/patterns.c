/*
 * For each group and pattern c and e are found by least squares over the sizes, as the paper does
 * with more than two of them; the pattern with the least error wins, and of equals the slowest.
 * A distance does not fall with the data size (e >= 0) and is not below 0. Neighbouring groups that
 * come to nearly the same distances, at the sizes and far beyond, are one bin.
 */
#include "fit/methods/patterns.h"

#include <math.h>
#include <string.h>

#define GROUPS   1000U
#define SIMILAR  0.02 /* relative difference of distances that are one bin's */
#define ROUNDING 0.5  /* blocks: smaller differences are none */

static const double exponents[] = {0, 1.0 / 3, 1.0 / 2, 2.0 / 3, 1};

struct pattern {
    double constant, factor; /* c, and e of the scaled term */
    double square_error;
};

/* Least squares of means = c + e * term. */
static struct pattern fit_pattern(const struct ft_axis *axis, size_t term, const double *means)
{
    double count = (double)axis->count, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (size_t k = 0; k < axis->count; k++) {
        double x = axis->terms[k][term];
        sum_x += x;
        sum_y += means[k];
        sum_xx += x * x;
        sum_xy += x * means[k];
    }
    struct pattern pattern = {.constant = sum_y / count};
    double spread = sum_xx - sum_x * sum_x / count;
    if (term != 0 && spread > 0)
        pattern.factor = fmax((sum_xy - sum_x * sum_y / count) / spread, 0);
    pattern.constant = (sum_y - pattern.factor * sum_x) / count;
    for (size_t k = 0; k < axis->count; k++)
        pattern.square_error +=
            pow(pattern.constant + pattern.factor * axis->terms[k][term] - means[k], 2);
    return pattern;
}

static struct ft_function fit_distance(const struct ft_axis *axis, const double *means)
{
    struct ft_function distance = {.exact = false};
    double least = INFINITY, sum = 0;
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        size_t term = ft_basis_power(&axis->basis, exponents[i]);
        struct pattern pattern = fit_pattern(axis, term, means);
        if (pattern.square_error >= least * (1 - 1e-9))
            continue;
        least = pattern.square_error;
        memset(distance.coefficients, 0, sizeof distance.coefficients);
        distance.coefficients[term] = pattern.factor * axis->scales[term];
        distance.coefficients[0] += pattern.constant;
    }
    for (size_t k = 0; k < axis->count; k++)
        sum += pow(means[k] + ROUNDING, 2);
    distance.rms_relative_error = sqrt(least / sum);
    return distance;
}

static bool similar(const struct ft_axis *axis, const struct ft_function *a,
                    const struct ft_function *b)
{
    for (size_t i = 0; i <= axis->count; i++) {
        const struct ft_point *at = i < axis->count ? &axis->points[i] : &axis->beyond;
        double left = ft_function_at(a, at), right = ft_function_at(b, at);
        if (fabs(left - right) > SIMILAR * fmax(left, right) + ROUNDING)
            return false;
    }
    return true;
}

static bool same_values(const double *a, const double *b, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (a[k] != b[k])
            return false;
    return true;
}

static int fit(const struct ft_fit_task *task, struct ft_model_member *ret_member,
               struct ft_diag *diag)
{
    const struct ft_axis *axis = task->data ? task->data : ft_fitter_axis(task->fitter);
    struct ft_function warm = ft_function_add(task->touches, task->cold, -1), first = {0};
    double means[FT_TRAINING_MAX] = {0}, before[FT_TRAINING_MAX];
    size_t capacity = 0, begun = 0;
    int status = FT_OK;
    ret_member->over_data = task->data != NULL;
    if (task->profiles[axis->count - 1].touches <= 0)
        return FT_OK;
    for (size_t group = 0; group <= GROUPS && status == FT_OK; group++) {
        struct ft_function distance = {0};
        memcpy(before, means, sizeof before);
        for (size_t k = 0; k < axis->count && group < GROUPS; k++) {
            double touches = task->profiles[k].touches;
            means[k] = touches > 0
                           ? ft_profile_mean(&task->profiles[k], touches * (double)group / GROUPS,
                                             touches * (double)(group + 1) / GROUPS)
                           : 0;
        }
        if (group > 0 && group < GROUPS && same_values(means, before, axis->count))
            continue; /* the same touches' next group */
        if (group < GROUPS)
            distance = fit_distance(axis, means);
        if (group > 0 && group < GROUPS && similar(axis, &first, &distance))
            continue;
        if (group > 0) {
            struct ft_function none = {.exact = false};
            struct ft_function tail = ft_function_add(&none, &warm, 1 - (double)begun / GROUPS);
            status = ft_bins_append(ret_member, &capacity, &tail, &first, diag);
        }
        first = distance;
        begun = group;
    }
    return status;
}

const struct ft_fit_method ft_patterns_method = {
    .name = "patterns",
    .summary =
        "1,000 groups, each with one of five patterns of the data size, as published in 2007",
    .fit = fit,
};
