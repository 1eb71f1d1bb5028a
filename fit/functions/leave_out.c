#include "fit/functions/leave_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/plain_fit.h"
#include "fit/functions/shape.h"
#include "fit/functions/shaped_fit.h"

#define SAME 1e-9 /* relative: of a function and its plain fit, rounding alone */

struct ft_leave_out {
    const struct ft_leave_out_axes *axes;
    struct ft_shaped_fitter *shaped[FT_LEAVE_OUT_MAX]; /* of one parameter */
    struct ft_weighted_values weighted;
    struct ft_plain_fit plain;
};

int ft_leave_out_create(const struct ft_leave_out_axes *axes, struct ft_leave_out **ret_leave_out,
                        struct ft_diag *diag)
{
    struct ft_leave_out *leave_out = calloc(1, sizeof *leave_out);
    int status = leave_out ? FT_OK : ft_fail_memory(diag, "replicas of functions");
    if (status < 0)
        return status;
    leave_out->axes = axes;
    for (size_t i = 0; i < axes->count && axes->all->basis.parameter_count == 1 && !status; i++)
        status = ft_shaped_fitter_create(&axes->without[i], &leave_out->shaped[i], diag);
    if (status < 0) {
        ft_leave_out_destroy(leave_out);
        return status;
    }
    *ret_leave_out = leave_out;
    return FT_OK;
}

void ft_leave_out_destroy(struct ft_leave_out *leave_out)
{
    for (size_t i = 0; leave_out && i < FT_LEAVE_OUT_MAX; i++)
        ft_shaped_fitter_destroy(leave_out->shaped[i]);
    free(leave_out);
}

size_t ft_leave_out_count(const struct ft_leave_out *leave_out)
{
    return leave_out ? leave_out->axes->count : 0;
}

uint64_t ft_leave_out_sizes(const struct ft_leave_out *leave_out, size_t i)
{
    return leave_out->axes->sets.sizes[i];
}

static struct ft_term_set terms_of(const struct ft_axis *axis, const struct ft_function *function)
{
    struct ft_term_set set = {.count = 0};
    for (uint8_t term = 0; term < axis->basis.term_count; term++)
        if (function->coefficients[term] != 0 && set.count < FT_TERMS_MAX) {
            set.mask |= 1U << term;
            set.terms[set.count++] = term;
        }
    return set;
}

/* What is left of the plain fit, a function of the scaled terms, is what the function itself was
 * moved by. */
static bool is_plain(const struct ft_axis *axis, const struct ft_term_set *set,
                     const struct ft_plain_fit *plain, const struct ft_function *function)
{
    double largest = 0, off = 0;
    for (size_t j = 0; j < set->count; j++) {
        double scaled = function->coefficients[set->terms[j]] / axis->scales[set->terms[j]];
        largest = fmax(largest, fabs(scaled));
        off = fmax(off, fabs(scaled - plain->coefficients[j]));
    }
    return off <= SAME * largest;
}

/* Of several parameters: terms that the other sizes do not determine go, the slowest first. */
static bool solve_without(struct ft_leave_out *leave_out, const double *y, size_t first,
                          uint64_t sizes, const struct ft_term_set *set, double *coefficients)
{
    const struct ft_axis *axis = leave_out->axes->all;
    struct ft_term_set kept = {.count = 0};
    double magnitudes[FT_TRAINING_MAX];
    uint8_t positions[FT_TERMS_MAX];
    for (size_t i = first; i < axis->count; i++)
        magnitudes[i] = sizes >> i & 1 ? INFINITY : ft_error_magnitude(y[i]);
    ft_weighted_values_init(&leave_out->weighted, axis, set->mask, y, magnitudes, first,
                            axis->count);
    for (uint8_t j = set->count; j-- > 0;) {
        kept.terms[kept.count] = set->terms[j];
        positions[kept.count++] = j;
        kept.count -= !ft_plain_fit(&leave_out->plain, &leave_out->weighted, &kept);
    }
    if (kept.count == 0 || !ft_plain_fit(&leave_out->plain, &leave_out->weighted, &kept))
        return false;
    memset(coefficients, 0, FT_TERMS_MAX * sizeof *coefficients);
    for (size_t j = 0; j < kept.count; j++)
        coefficients[positions[j]] = leave_out->plain.coefficients[j];
    return true;
}

/* The one size of a set. */
static size_t size_of(const struct ft_leave_out_axes *axes, size_t i)
{
    size_t size = 0;
    while (!(axes->sets.sizes[i] >> size & 1))
        size++;
    return size;
}

/* Within the shape of the others. */
static bool solve_shaped(struct ft_leave_out *leave_out, const double *y, size_t first, size_t i,
                         const struct ft_term_set *set, bool falling, double *coefficients)
{
    const struct ft_leave_out_axes *axes = leave_out->axes;
    const size_t out = size_of(axes, i);
    double others[FT_TRAINING_MAX];
    memcpy(others, y, out * sizeof *y);
    memcpy(others + out, y + out + 1, (axes->all->count - out - 1) * sizeof *y);
    const struct ft_shaped_task task = {set, others, first, axes->all->count - 1, falling};
    return ft_shaped_fit(leave_out->shaped[i], &task, coefficients);
}

/* A function with other coefficients of a set's terms. */
static void take_coefficients(const struct ft_axis *axis, const struct ft_term_set *set,
                              const double *coefficients, struct ft_function *function)
{
    for (size_t j = 0; j < set->count; j++)
        function->coefficients[set->terms[j]] = coefficients[j] * axis->scales[set->terms[j]];
}

/* Of one parameter. */
static void leave_out_size(struct ft_leave_out *leave_out, const double *y,
                           const struct ft_term_set *set, size_t first, struct ft_function *ret)
{
    const struct ft_leave_out_axes *axes = leave_out->axes;
    const struct ft_axis *axis = axes->all;
    double magnitudes[FT_TRAINING_MAX];
    for (size_t i = first; i < axis->count; i++)
        magnitudes[i] = ft_error_magnitude(y[i]);
    ft_weighted_values_init(&leave_out->weighted, axis, set->mask, y, magnitudes, first,
                            axis->count);
    const bool falling = ft_shape_falls(axis, y[first], y[axis->count - 1]);
    struct ft_plain_fit plain;
    const bool solved = ft_plain_fit(&plain, &leave_out->weighted, set);
    const bool plainly = solved && is_plain(axis, set, &plain, &ret[0]);
    for (size_t i = 0; i < axes->count; i++) {
        const size_t out = size_of(axes, i);
        struct ft_left_out left;
        if (out < first)
            continue;
        bool known = plainly && ft_plain_fit_leave_out(&plain, out - first, &left);
        if (!(known && ft_shape_holds(&axes->without[i], set, left.coefficients, falling)))
            known = solve_shaped(leave_out, y, first, i, set, falling, left.coefficients);
        if (known)
            take_coefficients(axis, set, left.coefficients, &ret[i]);
    }
}

void ft_leave_out_each(struct ft_leave_out *leave_out, const double *y,
                       const struct ft_function *function, struct ft_function *ret)
{
    const struct ft_leave_out_axes *axes = leave_out->axes;
    const struct ft_axis *axis = axes->all;
    const size_t first = function->left_out;
    const struct ft_term_set set = terms_of(axis, function);
    double coefficients[FT_TERMS_MAX];
    for (size_t i = 0; i < axes->count; i++)
        ret[i] = *function;
    if (function->exact || set.count == 0 || set.count + 1U > axis->count - first)
        return;
    if (axis->basis.parameter_count == 1) {
        leave_out_size(leave_out, y, &set, first, ret);
        return;
    }
    for (size_t i = 0; i < axes->count; i++)
        if (solve_without(leave_out, y, first, axes->sets.sizes[i], &set, coefficients))
            take_coefficients(axis, &set, coefficients, &ret[i]);
}
