/*
 * 1. All values equal: constant. Integers on an exact polynomial (exact.h): that. Or all but the
 *    smallest sizes on one of so few terms that two sizes are to spare; or on an exact quasi-
 *    polynomial (quasi_exact.h) where sizes mix residues.
 * 2. Otherwise every set of terms that leaves a size to spare is solved by least squares of
 *    RELATIVE errors (counts grow like n^3: absolute ones would ignore all sizes but the largest),
 *    within the shapes of shape.h. Most solutions have one anyway; only the others need the
 *    quadratic program.
 * 3. Each set is also solved without the largest size, which it then predicts. The set with the
 *    lowest score AICc + count * ln(held-out error^2) wins, and of equals the one with fewest
 *    terms. A held-out error below the residuals of its own fit is luck, and counts as those;
 *    errors below a floor count as the floor.
 * 4. If even the best set fits badly, the values scatter (sizes with different residues modulo a
 *    line, buffers that double, data-dependent paths), and the score would choose by chance how
 *    fast the function grows. If a leading term is expected, and the growth of the values, the
 *    slope of log y over log n with its standard error, agrees with it, only sets with that term
 *    compete. If none is, the slowest growth wins that fits nearly as well as the best set. Before
 *    that, terms with alignments are tried where sizes mix residues (alignment.h).
 * 5. Otherwise further terms (logarithms; one order more where all else fits badly, or the values
 *    grow like that) are tried, and must be much better; and if they scatter too, better than the
 *    expected growth by more than chance.
 * 6. Small sizes may follow another law (arrays below a page, memory that start-up code touched
 *    before): the smallest is left out as long as the others then fit much better.
 * 7. Two sizes, in a replica of a model of three, determine only a growth: the ratio of the values.
 *    The function is the term that grows so, or a sum of the next slower and the next faster one.
 *    No law is confirmed; the error at the third size shows how sure the model is.
 */
#include "fit/functions/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/cross_fit.h"
#include "fit/functions/exact.h"
#include "fit/functions/function_memo.h"
#include "fit/functions/plain_fit.h"
#include "fit/functions/quasi_exact.h"
#include "fit/functions/shape.h"
#include "fit/functions/term_selection.h"

#define GOOD        0.01 /* relative: what fits worse scatters */
#define MUCH_BETTER 10.0 /* in the score */
#define SIZES_MIN   3U   /* to tell anything but a constant */
#define DROPPED_MAX 2U   /* sizes that an exact fit may leave out */
#define DROP_RATIO  0.4  /* of residuals, for which the smallest size is left out */
#define NEARLY      2.0  /* ratio of errors that chance explains */

#define ERRORS_MAX    3.0  /* standard errors within which a growth agrees */
#define HALF_AN_ORDER 0.5  /* of an exponent */
#define ALIKE         0.01 /* relative: growths that chance does not tell apart */

#define EXACT_DENOMINATOR 1024  /* of the coefficients of loops */
#define EXACT_SQUARES     1e-12 /* relative errors above which nothing is exact */
#define NEARLY_ZERO       1e-7  /* of a determinant: far above its rounding */

struct ft_fitter {
    const struct ft_axis *axis;
    struct ft_cross_fitter *cross; /* where there are several parameters */
    struct ft_term_selector *selector;
    struct ft_quasi_exact *quasi;
    struct ft_function_memo *memo;
    struct ft_weighted_values weighted;
    struct ft_plain_fit plain;
};

int ft_fitter_create(const struct ft_axis *axis, struct ft_fitter **ret_fitter,
                     struct ft_diag *diag)
{
    struct ft_fitter *fitter = calloc(1, sizeof *fitter);
    if (!fitter)
        return ft_fail_memory(diag, "a fitter");
    fitter->axis = axis;
    fitter->memo = ft_function_memo_create(axis->count);
    int status = !fitter->memo ? ft_fail_memory(diag, "a fitter")
                 : axis->basis.parameter_count > 1
                     ? ft_cross_fitter_create(axis, &fitter->cross, diag)
                     : ft_term_selector_create(axis, &fitter->selector, diag);
    if (status == FT_OK)
        status = ft_quasi_exact_create(axis, &fitter->quasi, diag);
    if (status < 0) {
        ft_fitter_destroy(fitter);
        return status;
    }
    *ret_fitter = fitter;
    return FT_OK;
}

void ft_fitter_destroy(struct ft_fitter *fitter)
{
    if (!fitter)
        return;
    ft_cross_fitter_destroy(fitter->cross);
    ft_term_selector_destroy(fitter->selector);
    ft_quasi_exact_destroy(fitter->quasi);
    ft_function_memo_destroy(fitter->memo);
    free(fitter);
}

const struct ft_axis *ft_fitter_axis(const struct ft_fitter *fitter)
{
    return fitter->axis;
}

/* Powers of n as a function of the basis; false where a term is not in it. */
static bool set_polynomial(const struct ft_axis *axis, const double powers[FT_EXACT_DEGREE_MAX + 1],
                           struct ft_function *ret_function)
{
    *ret_function = (struct ft_function){.exact = true};
    for (size_t power = 0; power <= FT_EXACT_DEGREE_MAX; power++) {
        size_t term = ft_basis_power(&axis->basis, (double)power);
        if (term < axis->basis.term_count)
            ret_function->coefficients[term] = powers[power];
        else if (powers[power] != 0)
            return false;
    }
    return true;
}

/* The relative error of a function over the sizes from `first` on. */
static double rms_error(const struct ft_axis *axis, const double *y, size_t first,
                        const struct ft_function *function)
{
    double values[FT_TRAINING_MAX], sum = 0;
    memset(values, 0, axis->count * sizeof *values);
    for (size_t term = 0; term < axis->basis.term_count; term++) {
        const double coefficient = function->coefficients[term];
        for (size_t i = first; i < axis->count && coefficient != 0; i++)
            values[i] += coefficient * axis->points[i].terms[term];
    }
    for (size_t i = first; i < axis->count; i++) {
        double error = ((values[i] > 0 ? values[i] : 0) - y[i]) / ft_error_magnitude(y[i]);
        sum += error * error;
    }
    return sqrt(sum / (double)(axis->count - first));
}

static bool fit_exactly(const struct ft_axis *axis, const double *y, size_t first,
                        struct ft_function *function)
{
    double powers[FT_EXACT_DEGREE_MAX + 1], scaled[FT_TERMS_MAX];
    size_t spare;
    struct ft_function exact;
    if (!ft_exact_polynomial(axis->bases + first, y + first, axis->count - first, powers, &spare) ||
        !set_polynomial(axis, powers, &exact))
        return false;
    /* With one spare size alone, chance is possible: then it must have a shape as well. */
    struct ft_term_set set = {.count = 0};
    for (uint8_t term = 0; term < axis->basis.term_count; term++) {
        if (exact.coefficients[term] == 0)
            continue;
        scaled[set.count] = exact.coefficients[term] / axis->scales[term];
        set.terms[set.count++] = term;
    }
    if (spare < 2 &&
        !ft_shape_holds(axis, &set, scaled, ft_shape_falls(axis, y[first], y[axis->count - 1])))
        return false;
    *function = exact;
    function->rms_relative_error = rms_error(axis, y, first, function);
    return true;
}

/* How fast values grow: the slope of log y over log n by least squares, an exponent of n, with its
 * standard error. 0 and INFINITY of fewer than three values above 0. */
struct log_slope {
    double slope, error;
};

static struct log_slope log_slope_of(const struct ft_axis *axis, const double *y, size_t first)
{
    double count = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, sum_yy = 0;
    for (size_t i = first; i < axis->count; i++) {
        if (y[i] <= 0)
            continue;
        double x = log(axis->bases[i]), value = log(y[i]);
        count++;
        sum_x += x;
        sum_y += value;
        sum_xx += x * x;
        sum_xy += x * value;
        sum_yy += value * value;
    }
    if (count < 3)
        return (struct log_slope){0, INFINITY};
    double spread = sum_xx - sum_x * sum_x / count;
    double slope = (sum_xy - sum_x * sum_y / count) / spread;
    double residual = sum_yy - sum_y * sum_y / count - slope * slope * spread;
    return (struct log_slope){slope, sqrt(fmax(residual, 0) / (count - 2) / spread)};
}

/* Whether y may grow like a term: within three standard errors. */
static bool grows_like(const struct ft_axis *axis, const double *y, size_t first, size_t term)
{
    const struct log_slope found = log_slope_of(axis, y, first);
    return fabs(found.slope - ft_term_exponent(&axis->basis.terms[term])) <=
           ERRORS_MAX * found.error;
}

/* Whether y grows nearer to one order more than a term. A narrow range of sizes does not tell these
 * by the errors of fits: three terms of either meet five values. */
static bool grows_faster(const struct ft_axis *axis, const double *y, size_t first, size_t term)
{
    const struct log_slope found = log_slope_of(axis, y, first);
    return found.slope > ft_term_exponent(&axis->basis.terms[term]) + HALF_AN_ORDER;
}

/* Steps 2 and 3 over the sets within `allowed` that have all the `needed` terms. What is found has
 * its error with it. */
static void select_terms(struct ft_fitter *fitter, const double *y, size_t first, uint32_t allowed,
                         uint32_t needed, double rounding, double *best,
                         struct ft_function *function)
{
    const struct ft_term_choice choice = {y, first, allowed, needed, rounding};
    const double before = *best;
    ft_select_terms(fitter->selector, &choice, best, function);
    if (*best < before)
        function->rms_relative_error = rms_error(fitter->axis, y, first, function);
}

/* Step 4 where no growth is expected: the slowest one that fits nearly as well as the best set. */
static bool fit_slowest(struct ft_fitter *fitter, const double *y, size_t first, uint32_t allowed,
                        double rounding, double best_error, struct ft_function *function)
{
    const struct ft_basis *basis = &fitter->axis->basis;
    for (size_t term = 1; term < basis->term_count; term++) {
        struct ft_function candidate = *function;
        double best = INFINITY;
        uint32_t slower = (2U << term) - 1; /* terms stand by growth */
        if (ft_term_exponent(&basis->terms[term]) == 0 || !(allowed >> term & 1))
            continue;
        select_terms(fitter, y, first, allowed & slower, 0, rounding, &best, &candidate);
        if (best < INFINITY && candidate.rms_relative_error <= NEARLY * best_error) {
            *function = candidate;
            return true;
        }
    }
    return false;
}

/* Alignments, where they explain what scatters without them. */
static bool fit_aligned(struct ft_fitter *fitter, const double *y, size_t first,
                        const struct ft_expectation *expectation, double best,
                        struct ft_function *function)
{
    struct ft_function aligned = {0};
    double without = best, score = best - MUCH_BETTER;
    const uint32_t allowed = expectation->terms | 1U | fitter->axis->aligned;
    select_terms(fitter, y, first, allowed, 0, expectation->rounding, &score, &aligned);
    if (score >= without - MUCH_BETTER || aligned.rms_relative_error > GOOD)
        return false;
    *function = aligned;
    return true;
}

/* Steps 2 to 5. The function is a constant before. */
static void fit_by_terms(struct ft_fitter *fitter, const double *y, size_t first,
                         const struct ft_expectation *expectation, struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    struct ft_function expected = {0};
    double best = INFINITY, best_expected = INFINITY;
    uint32_t allowed = expectation->terms | 1U;
    select_terms(fitter, y, first, allowed, 0, expectation->rounding, &best, function);
    if (isinf(best))
        function->rms_relative_error = rms_error(axis, y, first, function);
    double error = function->rms_relative_error;
    if (error > GOOD && axis->aligned != 0 &&
        fit_aligned(fitter, y, first, expectation, best, function))
        return;
    bool scatters = error > GOOD, leads = expectation->leading != FT_NO_TERM;
    if (scatters && leads)
        select_terms(fitter, y, first, allowed, 1U << expectation->leading, expectation->rounding,
                     &best_expected, &expected);
    leads = best_expected < INFINITY;
    if (leads && grows_like(axis, y, first, expectation->leading)) {
        *function = expected;
        return;
    }
    if (scatters && expectation->scattered != 0 &&
        fit_slowest(fitter, y, first, expectation->scattered, expectation->rounding, error,
                    function))
        return;
    best -= MUCH_BETTER;
    allowed |= expectation->further;
    if (error > GOOD / 2 ||
        (expectation->leading != FT_NO_TERM && grows_faster(axis, y, first, expectation->leading)))
        allowed |= expectation->faster;
    select_terms(fitter, y, first, allowed, 0, expectation->rounding, &best, function);
    error = function->rms_relative_error;
    if (leads && error > GOOD && expected.rms_relative_error <= NEARLY * error)
        *function = expected;
}

/* A combination of a set's terms, its coefficients rounded to small fractions, that meets all
 * values from `skip` on. */
static bool meets_exactly(const struct ft_fitter *fitter, const struct ft_term_set *set,
                          const double *y, size_t skip, struct ft_function *ret_function)
{
    const struct ft_axis *axis = fitter->axis;
    const double *x = fitter->plain.coefficients;
    bool exact = ft_shape_holds(axis, set, x, ft_shape_falls(axis, y[skip], y[axis->count - 1]));
    *ret_function = (struct ft_function){.exact = true};
    for (size_t j = 0; j < set->count; j++)
        ret_function->coefficients[set->terms[j]] =
            round(x[j] * axis->scales[set->terms[j]] * EXACT_DENOMINATOR) / EXACT_DENOMINATOR;
    for (size_t i = skip; i < axis->count && exact; i++)
        exact = ft_function_at(ret_function, &axis->points[i]) == y[i];
    return exact;
}

/* Whether the values from `skip` on may be sums of small fractions of powers: a cheap test, which
 * means do not pass. */
static bool may_be_exact(const struct ft_axis *axis, const double *y, size_t skip)
{
    for (size_t i = skip; i < axis->count; i++)
        if (axis->n[i] == floor(axis->n[i]) &&
            y[i] * EXACT_DENOMINATOR != floor(y[i] * EXACT_DENOMINATOR))
            return false;
    return true;
}

/* Whether the largest sizes, one more than terms, may lie on a combination of one or two terms:
 * their determinant with the values is 0, rounding apart. */
static bool ends_alike(const struct ft_axis *axis, const struct ft_term_set *set, const double *y)
{
    const size_t last = axis->count - 1;
    const double(*t)[FT_BASIS_MAX] = (const double(*)[FT_BASIS_MAX])axis->terms + last;
    const double *end = y + last;
    const size_t a = set->terms[0], b = set->terms[1];
    double parts[3] = {0};
    if (set->count == 1) {
        parts[0] = end[0] * t[-1][a];
        parts[1] = -end[-1] * t[0][a];
    } else if (set->count == 2) {
        parts[0] = end[0] * (t[-1][a] * t[-2][b] - t[-1][b] * t[-2][a]);
        parts[1] = end[-1] * (t[-2][a] * t[0][b] - t[-2][b] * t[0][a]);
        parts[2] = end[-2] * (t[0][a] * t[-1][b] - t[0][b] * t[-1][a]);
    }
    double magnitude = fabs(parts[0]) + fabs(parts[1]) + fabs(parts[2]);
    return fabs(parts[0] + parts[1] + parts[2]) <= NEARLY_ZERO * magnitude;
}

/* Step 1 for the sizes from `skip` on, with few terms: at least two sizes confirm each of them. */
static bool fit_end_exactly(struct ft_fitter *fitter, const double *y, size_t skip,
                            struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    double magnitudes[FT_TRAINING_MAX];
    if (!may_be_exact(axis, y, skip) ||
        (axis->whole == axis->powers.mask && axis->count - skip > FT_EXACT_DEGREE_MAX + 1 &&
         !ft_exact_is_likely(axis->bases + skip, y + skip, axis->count - skip)))
        return false;
    for (size_t i = skip; i < axis->count; i++)
        magnitudes[i] = ft_error_magnitude(y[i]);
    ft_weighted_values_init(&fitter->weighted, axis, axis->whole, y, magnitudes, skip, axis->count);
    for (size_t s = 0; s < axis->set_count; s++) {
        const struct ft_term_set *set = &axis->sets[s];
        struct ft_function candidate;
        if (set->count + 2U > axis->count - skip || (set->mask & ~axis->whole) != 0 ||
            !ends_alike(axis, set, y) || !ft_plain_fit(&fitter->plain, &fitter->weighted, set) ||
            fitter->plain.square_sum > EXACT_SQUARES ||
            !meets_exactly(fitter, set, y, skip, &candidate))
            continue;
        *function = candidate;
        return true;
    }
    return false;
}

/* Whether no function that step 4 and 5 may choose has an error of error_max or less. */
static bool scatters_more(struct ft_fitter *fitter, const double *y, size_t first,
                          const struct ft_expectation *expectation, double error_max)
{
    const struct ft_axis *axis = fitter->axis;
    const uint32_t terms = expectation->terms | 1U | expectation->further | expectation->faster |
                           expectation->scattered | axis->aligned;
    const struct ft_term_choice choice = {y, first, terms, 0, expectation->rounding};
    return error_max < INFINITY && !(axis->basis.shape & FT_SHAPE_ANY) &&
           ft_min_term_error(fitter->selector, &choice) > error_max;
}

/* Steps 1 to 5 for the sizes from `first` on. Gives the first size that was used; the count where
 * no function has an error of error_max or less. */
static size_t fit_from(struct ft_fitter *fitter, const double *y, size_t first,
                       const struct ft_expectation *expectation, double error_max,
                       struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    size_t skip = first;
    double sum = 0;
    bool constant = true;
    for (size_t i = first; i < axis->count; i++) {
        sum += y[i];
        constant = constant && y[i] == y[first];
    }
    *function = (struct ft_function){.exact = constant};
    function->coefficients[0] = constant ? y[first] : sum / (double)(axis->count - first);
    if (constant || axis->count - first < SIZES_MIN || fit_exactly(axis, y, first, function))
        return first;
    if (axis->whole != axis->powers.mask && fit_end_exactly(fitter, y, first, function))
        return first;
    while (++skip + SIZES_MIN <= axis->count && skip <= first + DROPPED_MAX)
        if (fit_end_exactly(fitter, y, skip, function))
            return skip;
    for (skip = first; skip <= first + DROPPED_MAX && skip < axis->count; skip++)
        if (ft_quasi_exact_find(fitter->quasi, y, skip, function))
            return skip;
    if (scatters_more(fitter, y, first, expectation, error_max))
        return axis->count;
    fit_by_terms(fitter, y, first, expectation, function);
    return first;
}

/* How much a term grows from the first of two sizes to the second. */
static double growth_of(const struct ft_axis *axis, size_t term)
{
    return axis->points[0].terms[term] > 0
               ? axis->points[1].terms[term] / axis->points[0].terms[term]
               : INFINITY;
}

/* Step 7, of the terms in a mask and the constant. Coefficients of two terms between which the
 * values grow are both above 0, so the sum rises as its terms do. What falls is taken for a
 * constant, the mean. */
static struct ft_function fit_two_sizes(const struct ft_axis *axis, const double *y, uint32_t terms)
{
    struct ft_function function = {.coefficients = {(y[0] + y[1]) / 2}};
    const double growth = y[1] / fmax(y[0], 1);
    double below = 0, above = INFINITY;
    size_t slower = 0, faster = 0;
    for (size_t term = 0; term < axis->basis.term_count; term++) {
        const double of_term = growth_of(axis, term);
        if (!((terms | 1U) >> term & 1) || !(of_term >= 1))
            continue;
        if (of_term <= growth * (1 + ALIKE) && of_term > below) {
            below = of_term;
            slower = term;
        } else if (of_term > growth * (1 + ALIKE) && of_term < above) {
            above = of_term;
            faster = term;
        }
    }
    if (below == 0)
        return function;
    const double *t = axis->points[0].terms, *u = axis->points[1].terms;
    function.coefficients[0] = 0;
    if (below >= growth * (1 - ALIKE) || isinf(above)) {
        function.coefficients[slower] = (y[0] / t[slower] + y[1] / u[slower]) / 2;
        return function;
    }
    const double determinant = t[slower] * u[faster] - u[slower] * t[faster];
    function.coefficients[slower] = (y[0] * u[faster] - y[1] * t[faster]) / determinant;
    function.coefficients[faster] = (t[slower] * y[1] - u[slower] * y[0]) / determinant;
    return function;
}

/* All steps. */
static void fit_steps(struct ft_fitter *fitter, const double *y, size_t first,
                      const struct ft_expectation *expectation, struct ft_function *ret_function)
{
    const struct ft_axis *axis = fitter->axis;
    struct ft_function function;
    if (fitter->cross) {
        ft_cross_fit(fitter->cross, y, first, expectation, ret_function);
        return;
    }
    if (axis->count == 2 && first == 0) {
        *ret_function = fit_two_sizes(axis, y, expectation->terms);
        return;
    }
    first = fit_from(fitter, y, first, expectation, INFINITY, &function);
    while (function.rms_relative_error > GOOD && axis->count - first > SIZES_MIN) {
        struct ft_function fewer;
        const double error_max = DROP_RATIO * function.rms_relative_error;
        size_t later = fit_from(fitter, y, first + 1, expectation, error_max, &fewer);
        if (later == axis->count || fewer.rms_relative_error > error_max)
            break;
        function = fewer;
        first = later;
    }
    function.left_out = (uint32_t)first;
    *ret_function = function;
}

size_t ft_fit_function(struct ft_fitter *fitter, const double *y, size_t first,
                       const struct ft_expectation *expectation, struct ft_function *ret_function)
{
    const struct ft_fit_question question = {y, first, fitter->axis->count, expectation};
    struct ft_function function;
    if (!ft_function_memo_find(fitter->memo, &question, &function)) {
        fit_steps(fitter, y, first, expectation, &function);
        ft_function_memo_keep(fitter->memo, &question, &function);
    }
    *ret_function = function;
    return function.left_out;
}
