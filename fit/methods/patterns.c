/*
 * For each group and pattern c and e are found by least squares over the sizes, as the paper does
 * with more than two of them; the pattern with the smallest error wins, and of equals the slowest.
 * Two sizes are met by any pattern that grows: there the paper takes the one whose own ratio from
 * the one size to the other, 1 of the constant, is closest to the ratio of the distances. A
 * distance does not fall with the data size (e >= 0) and is not below 0. Neighbouring groups with
 * nearly the same distances, at the sizes and far beyond, are one bin.
 */
#include "fit/methods/patterns.h"

#include <math.h>
#include <string.h>

#include "fit/methods/bins.h"

#define GROUPS   1000U
#define SIMILAR  0.02 /* relative difference of distances that are one bin's */
#define ROUNDING 0.5  /* blocks: smaller differences are none */

static const double exponents[] = {0, 1.0 / 3, 1.0 / 2, 2.0 / 3, 1};

struct pattern {
    double constant, factor; /* c, and e of the scaled term */
    double square_error;
};

/* Least squares of means = c + e * term, without the sizes k of bits `out`. */
static struct pattern fit_pattern(const struct ft_axis *axis, size_t term, const double *means,
                                  uint64_t out)
{
    double count = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (size_t k = 0; k < axis->count; k++) {
        double x = axis->terms[k][term];
        if (out >> k & 1)
            continue;
        count++;
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

/* A part of the touches, whose bin is in the making. */
struct part {
    size_t group; /* the first */
    size_t term;
    double means[FT_TRAINING_MAX];
    struct ft_function distance;
};

static void set_pattern(const struct ft_axis *axis, size_t term, const struct pattern *pattern,
                        struct ft_function *distance)
{
    memset(distance->coefficients, 0, sizeof distance->coefficients);
    distance->coefficients[term] = pattern->factor * axis->scales[term];
    distance->coefficients[0] += pattern->constant;
}

/* The paper's choice of two sizes; of distances that begin at 0 the linear one. */
static size_t closest_pattern(const struct ft_axis *axis, const double *means)
{
    const double ratio = means[0] > 0 ? means[1] / means[0] : means[1] > 0 ? INFINITY : 1;
    double off_min = INFINITY;
    size_t closest = isinf(ratio) ? ft_basis_power(&axis->basis, 1) : 0;
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        const size_t term = ft_basis_power(&axis->basis, exponents[i]);
        const double off = fabs(axis->terms[1][term] / axis->terms[0][term] - ratio);
        if (off < off_min) {
            off_min = off;
            closest = term;
        }
    }
    return closest;
}

/* The distance of the means. */
static void fit_distance(const struct ft_axis *axis, struct part *part)
{
    double square_min = INFINITY, sum = 0;
    const size_t only = axis->count == 2 ? closest_pattern(axis, part->means) : SIZE_MAX;
    part->distance = (struct ft_function){.exact = false};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        size_t term = ft_basis_power(&axis->basis, exponents[i]);
        if (only != SIZE_MAX && term != only)
            continue;
        struct pattern pattern = fit_pattern(axis, term, part->means, 0);
        if (pattern.square_error >= square_min * (1 - 1e-9))
            continue;
        square_min = pattern.square_error;
        part->term = term;
        set_pattern(axis, term, &pattern, &part->distance);
    }
    for (size_t k = 0; k < axis->count; k++)
        sum += pow(part->means[k] + ROUNDING, 2);
    part->distance.rms_relative_error = sqrt(square_min / sum);
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

/* The mean distances of a group; the groups are asked for in turn, and `atoms`, 0 at first, tells
 * how far the sizes' profiles have been walked. */
static void list_means(const struct ft_fit_task *task, size_t count, size_t group,
                       size_t atoms[FT_TRAINING_MAX], double means[FT_TRAINING_MAX])
{
    for (size_t k = 0; k < count; k++) {
        double touches = task->profiles[k].touches;
        means[k] = touches > 0
                       ? ft_profile_next_mean(&task->profiles[k], touches * (double)group / GROUPS,
                                              touches * (double)(group + 1) / GROUPS, &atoms[k])
                       : 0;
    }
}

/* A bin of the groups from a part's first one on. */
static int append(const struct ft_fit_task *task, const struct ft_axis *axis,
                  const struct part *part, struct ft_bins *bins, struct ft_diag *diag)
{
    const struct ft_function none = {.exact = false};
    struct ft_function tails[1 + FT_LEAVE_OUT_MAX], distances[1 + FT_LEAVE_OUT_MAX];
    for (size_t i = 0; i <= bins->left_out; i++) {
        struct ft_function warm = ft_function_add(&task->touches[i], &task->cold[i], -1);
        tails[i] = ft_function_add(&none, &warm, 1 - (double)part->group / GROUPS);
        distances[i] = part->distance;
        if (i == 0)
            continue;
        struct pattern pattern =
            fit_pattern(axis, part->term, part->means, ft_leave_out_sizes(task->leave_out, i - 1));
        set_pattern(axis, part->term, &pattern, &distances[i]);
    }
    return ft_bins_append(bins, (struct ft_functions){tails, tails + 1},
                          (struct ft_functions){distances, distances + 1}, diag);
}

static int fit(const struct ft_fit_task *task, struct ft_fit_member *ret_members,
               struct ft_diag *diag)
{
    const struct ft_axis *axis = task->data ? task->data : ft_fitter_axis(task->fitter);
    struct ft_bins bins = ft_bins_of(task, ret_members);
    struct part parts[2], *part = &parts[0], *next = &parts[1];
    double means[FT_TRAINING_MAX];
    size_t atoms[FT_TRAINING_MAX] = {0};
    int status = FT_OK;
    for (size_t i = 0; i <= bins.left_out; i++)
        ret_members[i].over_data = task->data != NULL;
    if (task->profiles[axis->count - 1].touches <= 0)
        return FT_OK;
    list_means(task, axis->count, 0, atoms, means);
    memcpy(part->means, means, axis->count * sizeof *means);
    part->group = 0;
    fit_distance(axis, part);
    for (size_t group = 1; group < GROUPS && status == FT_OK; group++) {
        list_means(task, axis->count, group, atoms, next->means);
        if (same_values(next->means, means, axis->count))
            continue; /* the same touches' next group */
        memcpy(means, next->means, axis->count * sizeof *means);
        next->group = group;
        fit_distance(axis, next);
        if (similar(axis, &part->distance, &next->distance))
            continue;
        status = append(task, axis, part, &bins, diag);
        struct part *done = part;
        part = next;
        next = done;
    }
    return status == FT_OK ? append(task, axis, part, &bins, diag) : status;
}

const struct ft_fit_method ft_patterns_method = {
    .name = "patterns",
    .summary =
        "1,000 groups, each with one of five patterns of the data size, as published in 2007",
    .sizes_min = 2,
    .fit = fit,
};
