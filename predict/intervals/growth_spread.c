/*
 * The model does not keep the training counts, but its functions tell how far they are off there.
 * So each set of terms that a fit chooses from (fit/functions/axis.h) is fitted to what the
 * function says at the sizes that it was fitted to. A set tells these nearly as well where it errs
 * by at most NEARLY times the function's own error, has a shape and leads with no faster term: an
 * excess grows with every step of extrapolation. By ordinary least squares it then says at the
 * point asked for
 *     x c +- t s sqrt(x (A^T A)^-1 x^T)
 * with x its terms there, A those at the sizes, each divided by the count there, and s the errors,
 * its own and the function's, over the sizes to spare.
 */
#include "predict/intervals/growth_spread.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "fit/functions/axis.h"
#include "fit/functions/plain_fit.h"
#include "fit/functions/shape.h"

#define NEARLY    3.0  /* ratio of errors */
#define SMOOTH    0.01 /* relative error: what is off by more scatters */
#define SIZES_MIN 3U   /* that tell anything of a law */

struct spread {
    struct ft_axis axis;
    double terms[FT_BASIS_MAX]; /* scaled, at the point asked for */
    struct ft_weighted_values weighted;
    struct ft_plain_fit plain;
};

struct range {
    double low, high;
};

/* The terms of a function and all slower ones; terms stand by growth. */
static uint32_t slower_terms(const struct ft_function *function)
{
    uint32_t terms = 0;
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        if (function->coefficients[term] != 0)
            terms = (2U << term) - 1;
    return terms;
}

/* sqrt(x (A^T A)^-1 x^T): with A = Q R the length of R^-T x. */
static double leverage(const struct spread *spread, const struct ft_term_set *set)
{
    const struct ft_plain_fit *plain = &spread->plain;
    double u[FT_TERMS_MAX], square = 0;
    for (size_t j = 0; j < set->count; j++) {
        u[j] = spread->terms[set->terms[j]] / plain->lengths[j];
        for (size_t k = 0; k < j; k++)
            u[j] -= plain->triangle[k][j] * u[k];
        u[j] /= plain->triangle[j][j];
        square += u[j] * u[j];
    }
    return sqrt(square);
}

static void add_set(struct spread *spread, const struct ft_term_set *set,
                    const struct ft_function *function, bool falling, struct range *range)
{
    const struct ft_axis *axis = &spread->axis;
    const double *coefficients = spread->plain.coefficients;
    const double rows = (double)spread->weighted.rows, spare = rows - set->count;
    const double misfit = function->rms_relative_error;
    if (spare < 1 || !ft_plain_fit(&spread->plain, &spread->weighted, set))
        return;
    double square = spread->plain.square_sum + rows * misfit * misfit;
    if (square > rows * pow(NEARLY * misfit, 2) ||
        !ft_shape_holds(axis, set, coefficients, falling))
        return;
    double there = ft_term_set_at(set, coefficients, spread->terms);
    double errors = gsl_cdf_tdist_Pinv(0.975, spare) * sqrt(square / spare);
    double reach = errors * leverage(spread, set);
    range->low = fmin(range->low, fmax(there - reach, 0));
    range->high = fmax(range->high, there + reach);
}

/* As constants, which are right at one point alone. */
static void spread_function(struct spread *spread, const struct ft_point *at,
                            const struct ft_function *function, struct ft_function *slow,
                            struct ft_function *fast)
{
    const struct ft_axis *axis = &spread->axis;
    const size_t first = function->left_out;
    const uint32_t terms = slower_terms(function);
    double values[FT_TRAINING_MAX], magnitudes[FT_TRAINING_MAX];
    struct range range = {ft_function_at(function, at), ft_function_at(function, at)};
    if (function->exact || !(function->rms_relative_error > 0) ||
        function->rms_relative_error > SMOOTH || first + SIZES_MIN > axis->count)
        return;
    for (size_t i = first; i < axis->count; i++) {
        values[i] = ft_function_at(function, &axis->points[i]);
        magnitudes[i] = ft_error_magnitude(values[i]);
    }
    const bool falling = ft_shape_falls(axis, values[first], values[axis->count - 1]);
    ft_weighted_values_init(&spread->weighted, axis, terms, values, magnitudes, first, axis->count);
    for (size_t i = 0; i < axis->set_count; i++)
        if ((axis->sets[i].mask & ~terms) == 0)
            add_set(spread, &axis->sets[i], function, falling, &range);
    *slow = (struct ft_function){.coefficients = {range.low}};
    *fast = (struct ft_function){.coefficients = {range.high}};
}

static void spread_all(struct spread *spread, const struct ft_model *model,
                       const struct ft_point *at, struct ft_model *slow, struct ft_model *fast)
{
    for (size_t i = 0; i < model->group_count; i++)
        spread_function(spread, at, &model->groups[i].accesses, &slow->groups[i].accesses,
                        &fast->groups[i].accesses);
    for (size_t i = 0; i < model->counts_count; i++) {
        const struct ft_model_scope_counts *counts = &model->counts[i];
        spread_function(spread, at, &counts->instructions, &slow->counts[i].instructions,
                        &fast->counts[i].instructions);
        spread_function(spread, at, &counts->flops, &slow->counts[i].flops, &fast->counts[i].flops);
        for (size_t class = 0; class < FT_MIX_COUNT; class ++)
            spread_function(spread, at, &counts->mix[class], &slow->counts[i].mix[class],
                            &fast->counts[i].mix[class]);
    }
}

static int spread_model(const struct ft_model *model, const struct ft_point *at,
                        struct ft_model *slow, struct ft_model *fast, struct ft_diag *diag)
{
    struct spread spread;
    double sizes[FT_TRAINING_MAX];
    const size_t count = ft_model_execution_sizes(model, FT_TRAINING_MAX, sizes);
    if (count == 0 || model->fixed_count > 0)
        return FT_OK;
    int status = ft_axis_init(&spread.axis, &model->basis, sizes, count, diag);
    if (status != FT_OK)
        return status;
    for (size_t term = 0; term < model->basis.term_count; term++)
        spread.terms[term] = at->terms[term] * spread.axis.scales[term];
    spread_all(&spread, model, at, slow, fast);
    ft_axis_fini(&spread.axis);
    return FT_OK;
}

int ft_growth_spread(const struct ft_model *model, const struct ft_point *at,
                     struct ft_perturbed_model *ret_slow, struct ft_perturbed_model *ret_fast,
                     struct ft_diag *diag)
{
    int status = ft_perturbed_copy(model, ret_slow, diag);
    if (status != FT_OK)
        return status;
    status = ft_perturbed_copy(model, ret_fast, diag);
    if (status == FT_OK)
        status = spread_model(model, at, &ret_slow->model, &ret_fast->model, diag);
    if (status != FT_OK) {
        ft_perturbed_fini(ret_slow);
        ft_perturbed_fini(ret_fast);
    }
    return status;
}
