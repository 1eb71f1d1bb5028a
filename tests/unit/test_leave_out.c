/*
 * Functions without one of the sizes, against fits of the others by GSL; and histograms without
 * one, against the method's own fit of the others.
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/counts.h"
#include "fit/functions/cross_terms.h"
#include "fit/functions/shape.h"
#include "fit/functions/shaped_fit.h"
#include "fit/methods/modes.h"
#include "fit/methods/patterns.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES  7
#define LEFT   6 /* sizes left out, all but the largest */
#define TRIALS 400
#define CLOSE  1e-9

static const double sizes[SIZES] = {40, 56, 72, 88, 104, 120, 136};

static double uniform(uint64_t *state)
{
    return (double)random_below(state, 1U << 30) / (double)(1U << 30);
}

struct fitting {
    struct ft_axis axis;
    struct ft_leave_out_axes axes;
    struct ft_fitter *fitter;
    struct ft_leave_out *leave_out;
};

static void begin(struct fitting *fitting)
{
    if (ft_axis_init(&fitting->axis, NULL, sizes, SIZES, NULL) < 0)
        abort();
    const struct ft_left_out_sets sets = ft_left_out_sets_of(&fitting->axis);
    if (ft_leave_out_axes_init(&fitting->axes, &fitting->axis, &sets, NULL) < 0 ||
        ft_fitter_create(&fitting->axis, &fitting->fitter, NULL) < 0 ||
        ft_leave_out_create(&fitting->axes, &fitting->leave_out, NULL) < 0)
        abort();
}

static void end(struct fitting *fitting)
{
    ft_leave_out_destroy(fitting->leave_out);
    ft_fitter_destroy(fitting->fitter);
    ft_leave_out_axes_fini(&fitting->axes);
    ft_axis_fini(&fitting->axis);
}

/* The one size of the i-th set. */
static size_t left_out(const struct fitting *fitting, size_t i)
{
    return (size_t)__builtin_ctzll(ft_leave_out_sizes(fitting->leave_out, i));
}

/* Three terms or fewer, and noise. */
static void draw(uint64_t *state, double noise, double y[SIZES])
{
    double factors[4];
    for (size_t j = 0; j < 4; j++)
        factors[j] = random_below(state, 2) ? exp(6 * uniform(state)) : 0;
    for (size_t i = 0; i < SIZES; i++) {
        double n = sizes[i];
        y[i] =
            100 * factors[0] + 10 * factors[1] * n + factors[2] * n * n + factors[3] * n * log2(n);
        y[i] = floor(y[i] * (1 + noise * (2 * uniform(state) - 1)) + 1);
    }
}

static struct ft_term_set terms_of(const struct ft_function *function)
{
    struct ft_term_set set = {.count = 0};
    for (uint8_t term = 0; term < FT_BASIS_MAX; term++)
        if (function->coefficients[term] != 0)
            set.terms[set.count++] = term;
    return set;
}

/* By GSL: the same terms at all sizes from the first on, without those of bits `out`. */
static void refit(const struct ft_axis *axis, const double *y, const struct ft_function *function,
                  uint64_t out, double coefficients[FT_TERMS_MAX])
{
    const struct ft_term_set set = terms_of(function);
    size_t rows = 0;
    double square;
    for (size_t i = function->left_out; i < axis->count; i++)
        rows += !(out >> i & 1);
    gsl_matrix *design = gsl_matrix_alloc(rows, set.count);
    gsl_matrix *covariance = gsl_matrix_alloc(set.count, set.count);
    gsl_vector *values = gsl_vector_alloc(rows), *weights = gsl_vector_alloc(rows);
    gsl_vector *solution = gsl_vector_alloc(set.count);
    gsl_multifit_linear_workspace *workspace = gsl_multifit_linear_alloc(rows, set.count);
    for (size_t i = function->left_out, row = 0; i < axis->count; i++) {
        if (out >> i & 1)
            continue;
        for (size_t j = 0; j < set.count; j++)
            gsl_matrix_set(design, row, j, axis->terms[i][set.terms[j]]);
        gsl_vector_set(values, row, y[i]);
        gsl_vector_set(weights, row++, pow(y[i] + 2, -2));
    }
    if (gsl_multifit_wlinear(design, weights, values, solution, covariance, &square, workspace))
        abort();
    for (size_t j = 0; j < set.count; j++)
        coefficients[j] = gsl_vector_get(solution, j);
    gsl_multifit_linear_free(workspace);
    gsl_matrix_free(design);
    gsl_matrix_free(covariance);
    gsl_vector_free(values);
    gsl_vector_free(weights);
    gsl_vector_free(solution);
}

/* How far a function is from coefficients of the scaled terms, at the sizes and far beyond. */
static double difference(const struct ft_axis *axis, const struct ft_function *function,
                         const struct ft_term_set *set, const double *coefficients)
{
    double worst = 0;
    for (size_t i = 0; i <= axis->count; i++) {
        const struct ft_point *at = i < axis->count ? &axis->points[i] : &axis->beyond;
        double value = 0, scale = 1;
        for (size_t j = 0; j < set->count; j++) {
            double part = coefficients[j] * axis->scales[set->terms[j]] * at->terms[set->terms[j]];
            value += part;
            scale += fabs(part);
        }
        for (size_t j = 0; j < set->count; j++)
            value -= function->coefficients[set->terms[j]] * at->terms[set->terms[j]];
        worst = fmax(worst, fabs(value) / scale);
    }
    return worst;
}

static double square_sum(const struct ft_axis *axis, const double *y,
                         const struct ft_function *function, size_t out)
{
    double sum = 0;
    for (size_t i = function->left_out; i < SIZES; i++)
        if (i != out)
            sum += pow((ft_function_at(function, &axis->points[i]) - y[i]) / (y[i] + 2), 2);
    return sum;
}

/* Where a shape binds: it is kept, the errors are no smaller than those without it, and no larger
 * than those of the function of all sizes, which has the shape too. */
static bool is_bound(const struct ft_axis *axis, const struct ft_axis *fewer, const double *y,
                     const struct ft_function *all, const struct ft_function *without, size_t out,
                     const double *plain)
{
    const struct ft_term_set set = terms_of(all);
    struct ft_function unbound = *without;
    double scaled[FT_TERMS_MAX];
    for (size_t j = 0; j < set.count; j++) {
        scaled[j] = without->coefficients[set.terms[j]] / axis->scales[set.terms[j]];
        unbound.coefficients[set.terms[j]] = plain[j] * axis->scales[set.terms[j]];
    }
    double found = square_sum(axis, y, without, out), slack = 1e-9 + 1e-6 * found;
    return ft_shape_holds(fewer, &set, scaled,
                          ft_shape_falls(axis, y[all->left_out], y[SIZES - 1])) &&
           found >= square_sum(axis, y, &unbound, out) - slack &&
           found <= square_sum(axis, y, all, out) + slack;
}

static bool same_coefficients(const struct ft_function *a, const struct ft_function *b)
{
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        if (a->coefficients[term] != b->coefficients[term])
            return false;
    return true;
}

static void test_functions(struct fitting *fitting, double noise, unsigned bound_min,
                           const char *what)
{
    const struct ft_axis *axis = &fitting->axis;
    uint64_t state = 7;
    double worst = 0;
    unsigned plain = 0, bound = 0, wrong = 0, same = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct ft_function function, without[FT_LEAVE_OUT_MAX];
        struct ft_expectation nothing = ft_expect_nothing(axis);
        double y[SIZES], found[FT_TERMS_MAX], others[FT_TERMS_MAX];
        draw(&state, noise, y);
        ft_fit_function(fitting->fitter, y, 0, &nothing, &function);
        ft_leave_out_each(fitting->leave_out, y, &function, without);
        const struct ft_term_set set = terms_of(&function);
        if (set.count > 0)
            refit(axis, y, &function, 0, found);
        bool free = difference(axis, &function, &set, found) < CLOSE;
        for (size_t i = 0; i < LEFT; i++) {
            size_t out = left_out(fitting, i);
            bool stays = same_coefficients(&without[i], &function);
            if (function.exact || out < function.left_out) {
                same += stays;
                wrong += !stays;
                continue;
            }
            refit(axis, y, &function, (uint64_t)1 << out, others);
            bool holds = ft_shape_holds(&fitting->axes.without[i], &set, others,
                                        ft_shape_falls(axis, y[function.left_out], y[SIZES - 1]));
            if (free && holds) {
                worst = fmax(worst, difference(axis, &without[i], &set, others));
                plain++;
            } else {
                wrong += !is_bound(axis, &fitting->axes.without[i], y, &function, &without[i], out,
                                   others);
                bound++;
            }
        }
    }
    tap_ok(worst < CLOSE && plain > TRIALS, "%s: %u fits without a size as by GSL (%.1e)", what,
           plain, worst);
    tap_ok(wrong == 0 && bound >= bound_min && same > TRIALS / 4,
           "%s: %u within a shape, %u that stay as they are, %u wrong", what, bound, same, wrong);
}

/* ---- histograms ---- */

#define MODES 3

/* Modes far apart, of a single distance each; sizes from `out` on are the next ones. The shares of
 * the modes are steady, or not. */
static struct ft_profile profile_at(size_t size, size_t out, bool steady)
{
    static const double noises[SIZES][MODES] = {
        {0.01, -0.02, 0.02}, {-0.02, 0.01, -0.01}, {0.02, 0.02, -0.02}, {-0.01, -0.01, 0.01},
        {0.01, 0.02, 0.02},  {-0.02, -0.02, 0.01}, {0.02, -0.01, -0.02}};
    size_t at = size >= out ? size + 1 : size;
    double n = sizes[at];
    struct ft_profile profile = {.cold = 100, .atom_count = MODES};
    profile.distances_blocks = calloc(3 * MODES + 2, sizeof(double)); /* one block, as fini frees */
    if (!profile.distances_blocks)
        abort();
    profile.ranks = profile.distances_blocks + MODES;
    profile.sums = profile.ranks + MODES + 1;
    for (size_t i = 0; i < MODES; i++) {
        double touches = floor((double)(9 - 3 * i) * n * n * (steady ? 1 : 1 + noises[at][i]));
        double distance = 5 * pow(n, (double)i) * (i == 0 ? 1 : 1 + noises[at][MODES - 1 - i]);
        profile.distances_blocks[i] = distance;
        profile.ranks[i + 1] = profile.ranks[i] + touches;
        profile.sums[i + 1] = profile.sums[i] + touches * distance;
    }
    profile.touches = profile.ranks[MODES];
    return profile;
}

static bool same_terms(const struct ft_function *a, const struct ft_function *b)
{
    const struct ft_term_set left = terms_of(a), right = terms_of(b);
    return a->left_out == 0 && b->left_out == 0 && left.count == right.count &&
           memcmp(left.terms, right.terms, left.count) == 0;
}

static double relative_difference(const struct ft_axis *axis, const struct ft_function *a,
                                  const struct ft_function *b)
{
    double worst = 0;
    for (size_t i = 0; i <= axis->count; i++) {
        const struct ft_point *at = i < axis->count ? &axis->points[i] : &axis->beyond;
        double left = ft_function_at(a, at), right = ft_function_at(b, at);
        worst = fmax(worst, fabs(left - right) / (1 + fmax(left, right)));
    }
    return worst;
}

/* Functions of other terms are not compared. */
static void compare(const struct ft_axis *axis, const struct ft_function *a,
                    const struct ft_function *b, double *worst, unsigned *compared)
{
    if (!same_terms(a, b))
        return;
    *worst = fmax(*worst, relative_difference(axis, a, b));
    ++*compared;
}

/* Bins without a size against those of the method's own fit without it, where that takes the same
 * terms. */
static void test_histograms(struct fitting *fitting, const struct ft_fit_method *method,
                            bool steady)
{
    struct ft_function touches[1 + LEFT], cold[1 + LEFT], footprint = {.coefficients = {1e9}};
    struct ft_profile profiles[SIZES];
    struct ft_fit_member members[1 + LEFT] = {{0}};
    double y[SIZES], worst = 0;
    unsigned compared = 0, moved = 0;
    for (size_t k = 0; k < SIZES; k++) {
        profiles[k] = profile_at(k, SIZES, steady);
        y[k] = profiles[k].touches + 100;
    }
    struct ft_expectation nothing = ft_expect_nothing(&fitting->axis);
    ft_fit_function(fitting->fitter, y, 0, &nothing, &touches[0]);
    ft_leave_out_each(fitting->leave_out, y, &touches[0], &touches[1]);
    for (size_t i = 0; i <= LEFT; i++)
        cold[i] = (struct ft_function){.coefficients = {100}, .exact = true};
    struct ft_fit_task task = {fitting->fitter, profiles, touches,           cold,
                               &footprint,      NULL,     fitting->leave_out};
    bool right = method->fit(&task, members, NULL) == FT_OK && members[0].bin_count >= MODES;
    for (size_t i = 0; i < LEFT; i++) {
        const struct ft_axis *axis = &fitting->axes.without[i];
        struct ft_profile others[SIZES];
        struct ft_fit_member refitted = {0};
        struct ft_fitter *fitter;
        if (ft_fitter_create(axis, &fitter, NULL) < 0)
            abort();
        for (size_t k = 0; k + 1 < SIZES; k++)
            others[k] = profile_at(k, left_out(fitting, i), steady);
        const struct ft_fit_task fewer = {fitter, others, &touches[1 + i], &cold[1 + i], &footprint,
                                          NULL,   NULL};
        right = right && method->fit(&fewer, &refitted, NULL) == FT_OK &&
                members[1 + i].bin_count == members[0].bin_count;
        const bool alike = right && refitted.bin_count == members[0].bin_count;
        for (size_t bin = 0; alike && bin < refitted.bin_count; bin++) {
            const struct ft_model_bin *a = &members[1 + i].bins[bin], *b = &refitted.bins[bin];
            compare(axis, &a->tail, &b->tail, &worst, &compared);
            compare(axis, &a->distance_blocks, &b->distance_blocks, &worst, &compared);
            moved += relative_difference(axis, &a->distance_blocks,
                                         &members[0].bins[bin].distance_blocks) > 1e-6;
        }
        free(refitted.bins);
        ft_fitter_destroy(fitter);
        for (size_t k = 0; k + 1 < SIZES; k++)
            ft_profile_fini(&others[k]);
    }
    tap_ok(right && worst < CLOSE && compared > LEFT * MODES && moved > LEFT,
           "%s: %u functions without a size as in fits of the others (%.1e), %u moved by it",
           method->name, compared, worst, moved);
    for (size_t i = 0; i <= LEFT; i++)
        free(members[i].bins);
    for (size_t k = 0; k < SIZES; k++)
        ft_profile_fini(&profiles[k]);
}

/* Of two parameters: all sizes with a value go at once. */
static void test_several(void)
{
    static const char *const names[] = {"N", "T"};
    static const double n[] = {40, 56, 72, 88, 104}, t[] = {1, 2, 3, 4};
    enum { NS = 5, TS = 4 };
    const size_t distinct[] = {NS, TS};
    const struct ft_basis basis = ft_cross_basis(names, 2, distinct);
    double rows[2 * NS * TS], worst = 0;
    struct ft_axis axis;
    struct ft_leave_out_axes axes;
    struct ft_fitter *fitter;
    struct ft_leave_out *leave_out;
    unsigned compared = 0;
    uint64_t state = 3;
    bool right = true;
    for (size_t i = 0; i < NS * TS; i++) {
        rows[2 * i] = n[i / TS];
        rows[2 * i + 1] = t[i % TS];
    }
    if (ft_axis_init(&axis, &basis, rows, NS * TS, NULL) < 0)
        abort();
    const struct ft_left_out_sets sets = ft_left_out_sets_of(&axis);
    if (ft_leave_out_axes_init(&axes, &axis, &sets, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0 ||
        ft_leave_out_create(&axes, &leave_out, NULL) < 0)
        abort();
    /* Of 9 sets each parameter has room for 4: the largest values, those of N last. */
    for (size_t i = 0; i < 4; i++)
        right = right && sets.sizes[i] == UINT64_C(0x11111) << i &&
                sets.sizes[4 + i] == UINT64_C(0xf) << (4 * (i + 1)) &&
                axes.without[i].count == NS * (TS - 1) &&
                axes.without[4 + i].count == (NS - 1) * TS;
    tap_ok(right && sets.count == 8, "all sizes with a value are left out: %zu sets", sets.count);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct ft_function function, without[FT_LEAVE_OUT_MAX];
        struct ft_expectation nothing = ft_expect_nothing(&axis);
        double y[NS * TS], others[FT_TERMS_MAX], factors[2] = {uniform(&state), uniform(&state)};
        for (size_t i = 0; i < NS * TS; i++) {
            const double at = rows[2 * i], threads = rows[2 * i + 1];
            y[i] = floor((at * at * factors[0] + at * factors[1] * threads) *
                             (1 + 0.01 * uniform(&state)) +
                         1);
        }
        ft_fit_function(fitter, y, 0, &nothing, &function);
        ft_leave_out_each(leave_out, y, &function, without);
        const struct ft_term_set set = terms_of(&function);
        if (set.count > 2) /* the others may not determine them */
            continue;
        for (size_t i = 0; i < ft_leave_out_count(leave_out); i++, compared++) {
            refit(&axis, y, &function, ft_leave_out_sizes(leave_out, i), others);
            worst = fmax(worst, difference(&axis, &without[i], &set, others));
        }
    }
    tap_ok(compared > TRIALS && worst < CLOSE, "%u functions of two parameters as by GSL: %.1e",
           compared, worst);
    ft_leave_out_destroy(leave_out);
    ft_fitter_destroy(fitter);
    ft_leave_out_axes_fini(&axes);
    ft_axis_fini(&axis);
}

int main(void)
{
    struct fitting fitting = {.fitter = NULL};
    gsl_set_error_handler_off();
    begin(&fitting);
    tap_ok(ft_leave_out_count(fitting.leave_out) == LEFT &&
               ft_leave_out_sizes(fitting.leave_out, 0) == 1 && ft_leave_out_count(NULL) == 0,
           "the sizes below the largest are left out");
    tap_ok(fitting.axes.without[LEFT].count == SIZES - 1 &&
               fitting.axes.without[LEFT].n[SIZES - 2] == sizes[SIZES - 2],
           "and last the largest");
    test_functions(&fitting, 0, 0, "whole polynomials");
    test_functions(&fitting, 0.01, 0, "noise of 1 %");
    test_functions(&fitting, 0.2, 20, "noise of 20 %");
    test_histograms(&fitting, &ft_modes_method, false);
    test_histograms(&fitting, &ft_patterns_method, true);
    test_several();
    end(&fitting);
    return tap_plan_done();
}
