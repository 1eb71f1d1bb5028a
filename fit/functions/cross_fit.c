/*
 * 1. All values equal: constant. Integers on a polynomial with small fractions as coefficients,
 *    with at least one size more than terms: that, exact.
 * 2. Otherwise each set of terms is solved by least squares of relative errors, and again without
 *    the sizes at the largest value of each parameter in turn, which it then predicts. The lowest
 *    score wins, as in term_selection.h, of the sets whose solution keeps its shape along all lines
 *    of the axis.
 * 3. Further terms (logarithms, and what falls with a parameter: the work of one of several
 *    threads) must be much better; so must sets with as many factors of a parameter as it has
 *    values, which nothing can contradict, and which are tried only if no others are GOOD.
 * 4. If even the best is off by more than GOOD, values scatter: then a set that has the expected
 *    leading term wins, or else the one that grows least, if its error is nearly as small.
 */
#include "fit/functions/cross_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/cross_exact.h"
#include "fit/functions/plain_fit.h"
#include "fit/functions/term_selection.h"

#define ERROR_FLOOR 1e-5  /* relative */
#define GOOD        0.01  /* relative: what fits worse scatters */
#define MUCH_BETTER 10.0  /* in the score */
#define NEARLY      2.0   /* ratio of errors that chance explains */
#define EXACTLY     1e-12 /* squares of relative errors above which nothing is exact */
#define SLACK       1e-7  /* of the largest value on a line: less is no turn */
#define SIZES_MIN   3U

struct ft_cross_fitter {
    const struct ft_axis *axis;
    struct ft_weighted_values weighted;
    struct ft_weighted_values kept[FT_PARAMETERS_MAX]; /* without the largest of a parameter */
    uint8_t sizes[FT_PARAMETERS_MAX][FT_TRAINING_MAX]; /* the training sizes left out there */
    size_t left_out[FT_PARAMETERS_MAX];
    size_t holdouts;
    struct ft_plain_fit plain;
    const double *y;
    size_t first;
    size_t set_count; /* of the axis, that are looked at */
    double rounding;
};

int ft_cross_fitter_create(const struct ft_axis *axis, struct ft_cross_fitter **ret_fitter,
                           struct ft_diag *diag)
{
    struct ft_cross_fitter *fitter = calloc(1, sizeof *fitter);
    if (!fitter)
        return ft_fail_memory(diag, "a fitter");
    fitter->axis = axis;
    *ret_fitter = fitter;
    return FT_OK;
}

void ft_cross_fitter_destroy(struct ft_cross_fitter *fitter)
{
    free(fitter);
}

static double relative_error(const struct ft_cross_fitter *fitter, const struct ft_term_set *set,
                             const double *coefficients, size_t size)
{
    double value = ft_term_set_at(set, coefficients, fitter->axis->terms[size]);
    return (fitter->y[size] - value) / ft_error_magnitude(fitter->y[size]);
}

/* ---- the values, and parts of them that predict the others ---- */

static bool is_at_end(const struct ft_axis *axis, size_t size, size_t parameter)
{
    return axis->points[size].parameters[parameter] == axis->largest[parameter];
}

/* The values without the sizes for which `out` says so. */
static void keep_rows(struct ft_cross_fitter *fitter, size_t parameter, bool last_alone)
{
    const struct ft_axis *axis = fitter->axis;
    struct ft_weighted_values *kept = &fitter->kept[fitter->holdouts];
    size_t *left_out = &fitter->left_out[fitter->holdouts];
    kept->terms = fitter->weighted.terms;
    kept->rows = *left_out = 0;
    memcpy(kept->lengths, fitter->weighted.lengths, sizeof kept->lengths);
    for (size_t size = fitter->first; size < axis->count; size++) {
        const size_t row = size - fitter->first;
        if (last_alone ? size + 1 == axis->count : is_at_end(axis, size, parameter)) {
            fitter->sizes[fitter->holdouts][(*left_out)++] = (uint8_t)size;
            continue;
        }
        kept->values[kept->rows] = fitter->weighted.values[row];
        for (size_t term = 0; term < axis->basis.term_count; term++)
            kept->columns[term][kept->rows] = fitter->weighted.columns[term][row];
        kept->rows++;
    }
    for (size_t row = kept->rows; row < ft_padded_rows(kept->rows); row++) {
        kept->values[row] = 0;
        for (size_t term = 0; term < axis->basis.term_count; term++)
            kept->columns[term][row] = 0;
    }
    fitter->holdouts += *left_out > 0;
}

static void take_values(struct ft_cross_fitter *fitter, const double *y, size_t first)
{
    const struct ft_axis *axis = fitter->axis;
    double magnitudes[FT_TRAINING_MAX];
    fitter->y = y;
    fitter->first = first;
    for (size_t i = 0; i < axis->count; i++)
        magnitudes[i] = ft_error_magnitude(y[i]);
    ft_weighted_values_init(&fitter->weighted, axis,
                            (uint32_t)((UINT64_C(1) << axis->basis.term_count) - 1), y, magnitudes,
                            first, axis->count);
    fitter->holdouts = 0;
    for (size_t j = 0; j < axis->basis.parameter_count; j++)
        if (axis->distinct[j] >= 3)
            keep_rows(fitter, j, false);
    if (fitter->holdouts == 0)
        keep_rows(fitter, 0, true);
}

/* ---- one set ---- */

/* Not negative, and neither turning nor bending both ways along a line; or the shape that a user
 * asked for, as bits of enum ft_shape. */
static bool line_holds(const struct ft_axis_line *line, uint32_t shape,
                       const struct ft_term_set *set, const double *coefficients)
{
    double values[FT_LINE_POINTS], largest = 0, lowest = 0;
    double rise = 0, fall = 0, up = 0, down = 0;
    for (size_t i = 0; i < FT_LINE_POINTS; i++) {
        values[i] = ft_term_set_at(set, coefficients, line->terms[i]);
        largest = fmax(largest, fabs(values[i]));
        lowest = fmin(lowest, values[i]);
        if (i > 0) {
            rise = fmax(rise, values[i] - values[i - 1]);
            fall = fmax(fall, values[i - 1] - values[i]);
        }
    }
    const double *at = line->positions;
    for (size_t i = 1; i + 1 < FT_LINE_POINTS; i++) {
        double share = (at[i] - at[i - 1]) / (at[i + 1] - at[i - 1]);
        double bulge = values[i] - (values[i - 1] + share * (values[i + 1] - values[i - 1]));
        up = fmax(up, bulge);
        down = fmax(down, -bulge);
    }
    double turn = shape & FT_SHAPE_RISING    ? fall
                  : shape & FT_SHAPE_FALLING ? rise
                                             : fmin(rise, fall);
    double bend = shape & FT_SHAPE_CONVEX ? up : shape & FT_SHAPE_CONCAVE ? down : fmin(up, down);
    if (shape & FT_SHAPE_ANY)
        turn = bend = 0;
    return fmax(-lowest, fmax(turn, bend)) <= SLACK * largest;
}

static bool shape_holds(const struct ft_axis *axis, const struct ft_term_set *set,
                        const double *coefficients)
{
    for (size_t i = 0; i < axis->line_count; i++)
        if (!line_holds(&axis->lines[i], axis->basis.shape, set, coefficients))
            return false;
    return true;
}

/* The largest error at sizes that were left out, and at those that were not; INFINITY where the
 * others do not determine the set. */
static double held_out_error(struct ft_cross_fitter *fitter, const struct ft_term_set *set)
{
    double worst = -1;
    for (size_t i = 0; i < fitter->holdouts; i++) {
        double sum = 0;
        if (!ft_plain_fit(&fitter->plain, &fitter->kept[i], set))
            continue;
        for (size_t k = 0; k < fitter->left_out[i]; k++)
            sum += pow(relative_error(fitter, set, fitter->plain.coefficients, fitter->sizes[i][k]),
                       2);
        double rows = (double)fitter->kept[i].rows;
        worst = fmax(worst, sqrt(sum / (double)fitter->left_out[i]));
        worst = fmax(worst, sqrt(fitter->plain.square_sum / rows));
    }
    return worst < 0 ? INFINITY : worst;
}

/* The score of a set if it may be below `best`; else INFINITY. */
static double score(struct ft_cross_fitter *fitter, const struct ft_term_set *set, double best,
                    double *ret_coefficients)
{
    const double count = (double)fitter->weighted.rows, terms = (double)set->count;
    if (terms + 1 > count || !ft_plain_fit(&fitter->plain, &fitter->weighted, set))
        return INFINITY;
    memcpy(ret_coefficients, fitter->plain.coefficients, set->count * sizeof *ret_coefficients);
    double largest = ft_error_magnitude(fitter->y[fitter->axis->count - 1]);
    double floor = ERROR_FLOOR + fitter->rounding / largest;
    double error = fmax(sqrt(fitter->plain.square_sum / count), floor);
    double spare = fmax(count - terms - 1, 0.5);
    double aicc = 2 * count * log(error) + 2 * terms + 2 * terms * (terms + 1) / spare;
    if (aicc + 2 * count * log(error) >= best || !shape_holds(fitter->axis, set, ret_coefficients))
        return INFINITY;
    return aicc + 2 * count * log(fmax(held_out_error(fitter, set), error));
}

static void set_function(const struct ft_axis *axis, const struct ft_term_set *set,
                         const double *coefficients, struct ft_function *function)
{
    *function = (struct ft_function){.exact = false};
    for (size_t j = 0; j < set->count; j++)
        function->coefficients[set->terms[j]] = coefficients[j] * axis->scales[set->terms[j]];
}

static double rms_error(const struct ft_axis *axis, const double *y, size_t first,
                        const struct ft_function *function)
{
    double sum = 0;
    for (size_t i = first; i < axis->count; i++) {
        double value = ft_function_at(function, &axis->points[i]);
        sum += pow((value - y[i]) / ft_error_magnitude(y[i]), 2);
    }
    return sqrt(sum / (double)(axis->count - first));
}

/* ---- step 1 ---- */

static bool fit_exactly(struct ft_cross_fitter *fitter, struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    for (size_t s = 0; s < axis->set_count; s++) {
        const struct ft_term_set *set = &axis->sets[s];
        double coefficients[FT_TERMS_MAX] = {0};
        if (set->count + 1U > fitter->weighted.rows || !ft_cross_is_polynomial(axis, set) ||
            !ft_plain_fit(&fitter->plain, &fitter->weighted, set) ||
            fitter->plain.square_sum > EXACTLY)
            continue;
        memcpy(coefficients, fitter->plain.coefficients, set->count * sizeof *coefficients);
        ft_cross_refine(axis, set, fitter->y, &fitter->weighted, &fitter->plain, coefficients);
        bool shaped = shape_holds(axis, set, coefficients);
        for (size_t j = 0; j < set->count; j++)
            coefficients[j] *= axis->scales[set->terms[j]];
        /* With one spare size alone, chance is possible: then it must have a shape as well. */
        if ((set->count + 2U > fitter->weighted.rows && !shaped) ||
            !ft_cross_exact(axis, set, fitter->y, fitter->first, coefficients))
            continue;
        *function = (struct ft_function){.exact = true};
        for (size_t j = 0; j < set->count; j++)
            function->coefficients[set->terms[j]] = coefficients[j];
        return true;
    }
    return false;
}

/* ---- steps 2 to 4 ---- */

/* The largest sum of exponents of a term, where those that fall do not count; logarithms count
 * little. */
static double growth_of(const struct ft_axis *axis, const struct ft_term_set *set)
{
    double growth = 0;
    for (size_t j = 0; j < set->count; j++) {
        const struct ft_term *term = &axis->basis.terms[set->terms[j]];
        double sum = 0;
        for (size_t i = 0; i < axis->basis.parameter_count; i++)
            sum += fmax(term->exponents[i], 0) + 0.1 * term->logarithms[i];
        growth = fmax(growth, sum);
    }
    return growth;
}

/* The best set within `allowed` that has all the `needed` terms and grows at most so much. */
static void select_terms(struct ft_cross_fitter *fitter, uint32_t allowed, uint32_t needed,
                         double growth_max, double *best, struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    for (size_t s = 0; s < fitter->set_count; s++) {
        double coefficients[FT_TERMS_MAX] = {0};
        const struct ft_term_set *set = &axis->sets[s];
        if ((set->mask & ~allowed) != 0 || (needed & ~set->mask) != 0 ||
            growth_of(axis, set) > growth_max)
            continue;
        double value = score(fitter, set, *best, coefficients);
        if (value < *best - 1e-9) {
            *best = value;
            set_function(axis, set, coefficients, function);
        }
    }
}

/* Step 4 where no growth is expected. */
static void fit_slowest(struct ft_cross_fitter *fitter, uint32_t allowed, double error,
                        struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    double tried = 0;
    for (;;) {
        double growth = INFINITY, best = INFINITY;
        struct ft_function candidate = {0};
        for (size_t s = 0; s < axis->set_count; s++) {
            double next = growth_of(axis, &axis->sets[s]);
            if (next > tried && (axis->sets[s].mask & ~allowed) == 0)
                growth = fmin(growth, next);
        }
        if (isinf(growth))
            return;
        select_terms(fitter, allowed, 0, growth, &best, &candidate);
        if (best < INFINITY &&
            rms_error(axis, fitter->y, fitter->first, &candidate) <= NEARLY * error) {
            *function = candidate;
            return;
        }
        tried = growth;
    }
}

/* Further terms, where they are much better and values then do not scatter, or far less: those of
 * few sizes may want a term more than these can tell. */
static bool fit_further(struct ft_cross_fitter *fitter, uint32_t allowed, double best, double error,
                        struct ft_function *function)
{
    struct ft_function candidate = {0};
    double better = best - MUCH_BETTER;
    select_terms(fitter, allowed, 0, INFINITY, &better, &candidate);
    if (better >= best - MUCH_BETTER ||
        rms_error(fitter->axis, fitter->y, fitter->first, &candidate) > fmax(GOOD, error / NEARLY))
        return false;
    *function = candidate;
    return true;
}

/* Sets that go through all values of a parameter, whatever these are, where nothing else does. */
static bool fit_saturated(struct ft_cross_fitter *fitter, uint32_t allowed, double best,
                          double error, struct ft_function *function)
{
    const size_t spare = fitter->set_count;
    fitter->set_count = spare + fitter->axis->saturated_count;
    const bool better = fit_further(fitter, allowed, best, error, function);
    fitter->set_count = spare;
    return better;
}

static void fit_by_terms(struct ft_cross_fitter *fitter, const struct ft_expectation *expectation,
                         struct ft_function *function)
{
    const struct ft_axis *axis = fitter->axis;
    const double *y = fitter->y;
    double best = INFINITY, best_expected = INFINITY;
    uint32_t allowed = expectation->terms | 1U, further = expectation->further;
    struct ft_function expected = {0};
    fitter->set_count = axis->set_count;
    select_terms(fitter, allowed, 0, INFINITY, &best, function);
    double error = rms_error(axis, y, fitter->first, function);
    if (error > GOOD / 2)
        further |= expectation->faster;
    if (fit_further(fitter, allowed | further, best, error, function) ||
        (error > GOOD && fit_saturated(fitter, allowed | further, best, error, function)))
        return;
    if (error > GOOD && expectation->leading != FT_NO_TERM) {
        select_terms(fitter, allowed, 1U << expectation->leading, INFINITY, &best_expected,
                     &expected);
        if (best_expected < INFINITY &&
            rms_error(axis, y, fitter->first, &expected) <= NEARLY * error) {
            *function = expected;
            return;
        }
    }
    if (error > GOOD && expectation->scattered != 0)
        fit_slowest(fitter, expectation->scattered | 1U, error, function);
}

void ft_cross_fit(struct ft_cross_fitter *fitter, const double *y, size_t first,
                  const struct ft_expectation *expectation, struct ft_function *ret_function)
{
    const struct ft_axis *axis = fitter->axis;
    struct ft_function function = {.exact = true};
    double sum = 0;
    for (size_t i = first; i < axis->count; i++) {
        sum += y[i];
        function.exact = function.exact && y[i] == y[first];
    }
    function.coefficients[0] = function.exact ? y[first] : sum / (double)(axis->count - first);
    if (!function.exact && axis->count - first >= SIZES_MIN) {
        take_values(fitter, y, first);
        fitter->rounding = expectation->rounding;
        if (!fit_exactly(fitter, &function))
            fit_by_terms(fitter, expectation, &function);
    }
    function.rms_relative_error = rms_error(axis, y, first, &function);
    function.left_out = (uint32_t)first;
    *ret_function = function;
}
