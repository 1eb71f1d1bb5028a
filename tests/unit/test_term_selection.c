/*
 * The choice of terms by bounds and closed forms against the exhaustive one: every set fitted by
 * the quadratic program, with and without the largest size. Plain fits against NIST's Pontius
 * (www.itl.nist.gov/div898/strd), and what leaving a size out gives against fits of the others.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/plain_fit.h"
#include "fit/functions/quadratic_program.h"
#include "fit/functions/shape.h"
#include "fit/functions/term_selection.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES_MAX 9
#define TRIALS    400

static const double sizes[SIZES_MAX] = {16, 24, 32, 40, 56, 64, 80, 96, 112};

static double uniform(uint64_t *state)
{
    return (double)random_below(state, 1U << 30) / (double)(1U << 30);
}

/* ---- the reference ---- */

struct reference {
    const struct ft_axis *axis;
    const double *y;
    size_t first;
    bool falling;
    struct ft_qp_workspace *workspace;
};

/* Root of the mean square of relative errors over [first, end), or at one size alone. */
static double error_over(const struct reference *w, const struct ft_term_set *set, const double *x,
                         size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += pow((ft_term_set_at(set, x, w->axis->terms[i]) - w->y[i]) / (w->y[i] + 2), 2);
    return sqrt(sum / (double)(end - first));
}

static bool reference_solve(const struct reference *w, const struct ft_term_set *set, size_t end,
                            double x[FT_TERMS_MAX])
{
    size_t rows = end - w->first, columns = set->count;
    gsl_matrix *a = gsl_matrix_alloc(rows, columns), *g = gsl_matrix_alloc(FT_GRID_COUNT, columns);
    gsl_vector *b = gsl_vector_alloc(rows), *weights = gsl_vector_alloc(rows);
    gsl_vector *h = gsl_vector_calloc(FT_GRID_COUNT);
    gsl_vector_view solution = gsl_vector_view_array(x, columns);
    for (size_t i = 0; i < rows; i++) {
        gsl_vector_set(b, i, w->y[w->first + i]);
        gsl_vector_set(weights, i, 1 / (w->y[w->first + i] + 2));
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(a, i, j, w->axis->terms[w->first + i][set->terms[j]]);
    }
    bool solved =
        ft_qp_solve(w->workspace, a, b, weights, NULL, NULL, &solution.vector, NULL, NULL) == FT_OK;
    if (solved && !ft_shape_holds(w->axis, set, x, w->falling)) {
        double bent[FT_TERMS_MAX], best = INFINITY;
        gsl_vector_view other = gsl_vector_view_array(bent, columns);
        for (int bend = -1; bend <= 1; bend += 2) {
            ft_shape_constrain(w->axis, set, w->falling, (enum ft_bend)bend, g);
            if (ft_qp_solve(w->workspace, a, b, weights, g, h, &other.vector, NULL, NULL) < 0 ||
                error_over(w, set, bent, w->first, end) >= best)
                continue;
            best = error_over(w, set, bent, w->first, end);
            memcpy(x, bent, columns * sizeof *x);
        }
        solved = best < INFINITY;
    }
    gsl_matrix_free(a);
    gsl_matrix_free(g);
    gsl_vector_free(b);
    gsl_vector_free(weights);
    gsl_vector_free(h);
    return solved;
}

static double reference_score(const struct reference *w, const struct ft_term_set *set,
                              double floor, double x[FT_TERMS_MAX])
{
    size_t last = w->axis->count - 1;
    double held_out[FT_TERMS_MAX], count = (double)(last + 1 - w->first), terms = set->count;
    if (terms + 1 > count || !reference_solve(w, set, last + 1, x) ||
        (!w->falling && x[set->count - 1] < 0) || !reference_solve(w, set, last, held_out))
        return INFINITY;
    double error = fmax(error_over(w, set, x, w->first, last + 1), floor);
    double luck = error_over(w, set, held_out, w->first, last);
    double ahead = fmax(error_over(w, set, held_out, last, last + 1), fmax(luck, error));
    double spare = fmax(count - terms - 1, 0.5);
    return 2 * count * log(error) + 2 * terms + 2 * terms * (terms + 1) / spare +
           2 * count * log(ahead);
}

/* The least score of all sets, and the coefficients. */
static double reference_select(struct reference *w, const struct ft_term_choice *choice,
                               struct ft_function *function)
{
    const struct ft_axis *axis = w->axis;
    double best = INFINITY;
    double floor = 1e-5 + choice->rounding / (choice->y[axis->count - 1] + 2);
    w->y = choice->y;
    w->first = choice->first;
    w->falling = choice->y[axis->count - 1] < choice->y[choice->first];
    for (size_t s = 0; s < axis->set_count; s++) {
        const struct ft_term_set *set = &axis->sets[s];
        double x[FT_TERMS_MAX] = {0};
        if ((set->mask & ~choice->allowed) != 0 || (choice->needed & ~set->mask) != 0)
            continue;
        double value = reference_score(w, set, floor, x);
        if (value >= best - 1e-9)
            continue;
        best = value;
        memset(function->coefficients, 0, sizeof function->coefficients);
        for (size_t j = 0; j < set->count; j++)
            function->coefficients[set->terms[j]] = x[j] * axis->scales[set->terms[j]];
    }
    return best;
}

/* ---- the tests ---- */

/* Laws of few terms that are met exactly, with noise, with a kink, or values without any law. */
static void draw_values(const struct ft_axis *axis, uint64_t *state, double *y)
{
    static const double noises[] = {0, 1e-4, 0.003, 0.05, 0.5};
    double noise = noises[random_below(state, 5)], sum = 0;
    uint64_t kind = random_below(state, 4);
    const struct ft_term_set *law = &axis->sets[random_below(state, axis->set_count)];
    double x[FT_TERMS_MAX];
    for (size_t j = 0; j < law->count; j++)
        x[j] = 1e5 * (uniform(state) - (kind == 2 ? 0.4 : 0));
    for (size_t i = 0; i < axis->count; i++) {
        sum += floor(1000 * uniform(state));
        y[i] = kind == 3 ? sum : ft_term_set_at(law, x, axis->terms[i]);
        y[i] = fabs(y[i] * (1 + noise * (2 * uniform(state) - 1)));
        if (kind == 1 && i < 2)
            y[i] += 300;
        y[i] = floor(y[i]);
    }
    for (size_t i = 0; random_below(state, 8) == 0 && i < axis->count / 2; i++) { /* falling */
        double other = y[axis->count - 1 - i];
        y[axis->count - 1 - i] = y[i];
        y[i] = other;
    }
}

/* Whether two functions are the same at all sizes and beyond, by their scores' measure. */
static double difference(const struct ft_axis *axis, const struct ft_function *a,
                         const struct ft_function *b)
{
    double worst = 0;
    for (size_t i = 0; i <= axis->count; i++) {
        const struct ft_point *at = i < axis->count ? &axis->points[i] : &axis->beyond;
        double left = ft_function_at(a, at), right = ft_function_at(b, at);
        worst = fmax(worst, fabs(left - right) / (fmax(left, right) + 2));
    }
    return worst;
}

static void test_selection(const struct ft_basis *basis, size_t count, const char *what)
{
    struct ft_axis axis;
    struct ft_term_selector *selector;
    struct reference reference = {.axis = &axis};
    uint64_t state = count;
    unsigned differ = 0, chosen = 0;
    double worst = 0, worst_score = 0;
    if (ft_axis_init(&axis, basis, sizes, count, NULL) < 0 ||
        ft_term_selector_create(&axis, &selector, NULL) < 0 ||
        ft_qp_workspace_create(count, FT_TERMS_MAX, FT_GRID_COUNT, &reference.workspace, NULL) < 0)
        abort();
    for (int trial = 0; trial < TRIALS; trial++) {
        double y[SIZES_MAX];
        struct ft_function fast = {0}, slow = {0};
        draw_values(&axis, &state, y);
        struct ft_term_choice choice = {.y = y,
                                        .first = random_below(&state, 2),
                                        .allowed = (uint32_t)random_next(&state) | 1U,
                                        .rounding = random_below(&state, 2) ? 0.5 : 0};
        if (random_below(&state, 2))
            choice.allowed = UINT32_MAX;
        if (random_below(&state, 8) == 0)
            choice.needed = 2;
        double score = INFINITY, expected = reference_select(&reference, &choice, &slow);
        ft_select_terms(selector, &choice, &score, &fast);
        if (isinf(expected) && isinf(score))
            continue;
        bool same = fabs(score - expected) < 1e-6 && difference(&axis, &fast, &slow) < 1e-6;
        differ += !same;
        worst = fmax(worst, difference(&axis, &fast, &slow));
        worst_score = fmax(worst_score, fabs(score - expected));
        if (trial % 2 == 0) { /* the same values again, other terms */
            choice.allowed = UINT32_MAX;
            choice.rounding = trial % 4 == 0 ? choice.rounding : 0.25;
            choice.needed = 0;
            score = INFINITY;
            expected = reference_select(&reference, &choice, &slow);
            ft_select_terms(selector, &choice, &score, &fast);
            same = fabs(score - expected) < 1e-6 && difference(&axis, &fast, &slow) < 1e-6;
            differ += !same;
        }
        struct ft_function none = {.coefficients = {-1}};
        double below = expected - 1;
        ft_select_terms(selector, &choice, &below, &none);
        differ += below != expected - 1 || none.coefficients[0] != -1;
        chosen++;
    }
    tap_ok(differ == 0 && chosen > TRIALS / 2,
           "%s, %zu sizes: as of all sets in %u trials (values %.1e, scores %.1e apart)", what,
           count, chosen, worst, worst_score);
    ft_qp_workspace_destroy(reference.workspace);
    ft_term_selector_destroy(selector);
    ft_axis_fini(&axis);
}

/* Each size left out in closed form against a fit of the others. */
static void test_leaving_out(void)
{
    struct ft_axis axis, fewer;
    uint64_t state = 3;
    double worst = 0;
    unsigned fits = 0;
    if (ft_axis_init(&axis, NULL, sizes, 7, NULL) < 0)
        abort();
    for (int trial = 0; trial < TRIALS; trial++) {
        double y[7], others[6], magnitudes[7];
        struct ft_weighted_values weighted;
        static struct ft_plain_fit fit, again;
        struct ft_left_out left_out;
        size_t out = random_below(&state, 7);
        const struct ft_term_set *set = &axis.sets[random_below(&state, axis.set_count)];
        draw_values(&axis, &state, y);
        for (size_t i = 0; i < 7; i++)
            magnitudes[i] = y[i] + 2;
        ft_weighted_values_init(&weighted, &axis, UINT32_MAX, y, magnitudes, 0, 7);
        if (!ft_plain_fit(&fit, &weighted, set) || !ft_plain_fit_leave_out(&fit, out, &left_out))
            continue;
        fits++;
        /* The same axis, so that terms are scaled alike, with the size moved to the end. */
        fewer = axis;
        double(*terms)[FT_BASIS_MAX] = malloc(6 * sizeof *terms);
        if (!terms)
            abort();
        for (size_t i = 0, k = 0; i < 7; i++)
            if (i != out) {
                memcpy(terms[k], axis.terms[i], sizeof *terms);
                magnitudes[k] = magnitudes[i];
                others[k++] = y[i];
            }
        fewer.terms = terms;
        ft_weighted_values_init(&weighted, &fewer, UINT32_MAX, others, magnitudes, 0, 6);
        bool solved = ft_plain_fit(&again, &weighted, set);
        double value = ft_term_set_at(set, again.coefficients, axis.terms[out]);
        double error = (y[out] - value) / (y[out] + 2);
        worst = fmax(worst, solved ? fabs(error - left_out.error) / (1 + fabs(error)) : INFINITY);
        worst = fmax(worst, fabs(sqrt(again.square_sum) - sqrt(left_out.square_sum)));
        for (size_t i = 0; i < 7; i++)
            worst = fmax(worst, fabs(ft_term_set_at(set, again.coefficients, axis.terms[i]) -
                                     ft_term_set_at(set, left_out.coefficients, axis.terms[i])) /
                                    (y[i] + 2) / (1 + fabs(error)));
        free(terms);
    }
    tap_ok(fits > TRIALS / 2 && worst < 1e-7, "%u sizes left out as in fits of the others (%.1e)",
           fits, worst);
    ft_axis_fini(&axis);
}

/* Pontius: 40 loads of a cell, two of each. */
static void test_certified(void)
{
    static const double deflections[40] = {
        .11019,  .11052,  .21956,  .22018,  .32949,  .32939,  .43899,  .43886,  .54803,  .54798,
        .65694,  .65739,  .76562,  .76596,  .87487,  .87474,  .98292,  .98300,  1.09146, 1.09150,
        1.20001, 1.20004, 1.30822, 1.30818, 1.41599, 1.41613, 1.52399, 1.52408, 1.63194, 1.63159,
        1.73947, 1.73965, 1.84646, 1.84696, 1.95392, 1.95445, 2.06128, 2.06177, 2.16844, 2.16829};
    static const double certified[3] = {0.673565789473684E-03, 0.732059160401003E-06,
                                        -0.316081871345029E-14};
    double loads[40], ones[40], worst = 0;
    struct ft_basis basis;
    struct ft_axis axis;
    static struct ft_plain_fit fit;
    struct ft_weighted_values weighted;
    for (int i = 0; i < 40; i++) {
        int load = i / 2 + 1;
        loads[i] = 150000. * load;
        ones[i] = 1;
    }
    if (ft_basis_read(&basis, "N", "N,N^2", NULL) < 0 ||
        ft_axis_init(&axis, &basis, loads, 40, NULL) < 0)
        abort();
    const struct ft_term_set all = {.mask = 7, .count = 3, .terms = {0, 1, 2}};
    ft_weighted_values_init(&weighted, &axis, 7, deflections, ones, 0, 40);
    bool solved = ft_plain_fit(&fit, &weighted, &all);
    for (size_t j = 0; j < 3; j++)
        worst = fmax(worst, fabs(fit.coefficients[j] * axis.scales[j] / certified[j] - 1));
    tap_ok(solved && worst < 1e-11, "Pontius: %.1f digits, 11 wanted", -log10(worst));
    tap_ok(solved && fabs(sqrt(fit.square_sum / 37) / 0.205177424076185E-03 - 1) < 1e-11,
           "and the standard deviation of its residuals");
    ft_axis_fini(&axis);
}

/* Terms that depend on each other over the sizes, and more terms than sizes. */
static void test_refusals(void)
{
    struct ft_axis axis;
    static struct ft_plain_fit fit;
    struct ft_weighted_values weighted;
    struct ft_left_out left_out;
    static const double y[3] = {10, 20, 50}, ones[3] = {1, 1, 1};
    if (ft_axis_init(&axis, NULL, sizes, 3, NULL) < 0)
        abort();
    struct ft_term_set set = {.mask = 3, .count = 2, .terms = {2, 2}};
    ft_weighted_values_init(&weighted, &axis, UINT32_MAX, y, ones, 0, 3);
    tap_ok(!ft_plain_fit(&fit, &weighted, &set), "the same term twice has no solution");
    set = (struct ft_term_set){.count = 4, .terms = {0, 2, 4, 5}};
    tap_ok(!ft_plain_fit(&fit, &weighted, &set), "nor have four terms over three sizes");
    set.count = 3;
    tap_ok(ft_plain_fit(&fit, &weighted, &set) && !ft_plain_fit_leave_out(&fit, 1, &left_out),
           "three terms over three sizes can spare none");
    ft_axis_fini(&axis);
}

int main(void)
{
    gsl_set_error_handler_off();
    struct ft_basis roots;
    if (ft_basis_read(&roots, "N", "N,N^2,sqrt(N),N*log2(N),N^3,N^1.5", NULL) < 0)
        return 1;
    test_certified();
    test_refusals();
    test_leaving_out();
    test_selection(NULL, 5, "the default basis");
    test_selection(NULL, SIZES_MAX, "the default basis");
    test_selection(&roots, 6, "a user's basis");
    return tap_plan_done();
}
