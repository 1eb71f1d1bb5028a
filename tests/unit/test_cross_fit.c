/*
 * Functions of two and three parameters with known answers: exact polynomials, laws with logarithms
 * and shares, noise, grids with holes; and what sizes cannot tell is refused.
 */
#include <math.h>
#include <stdlib.h>

#include "fit/functions/counts.h"
#include "fit/functions/cross_terms.h"
#include "fit/training_sizes.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

typedef double law(const double *at);

struct grid {
    const char *names[FT_PARAMETERS_MAX];
    size_t width;
    double rows[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    size_t count;
};

static struct grid grid_of(size_t width, const double *n, size_t n_count, const double *m,
                           size_t m_count, const double *t, size_t t_count)
{
    struct grid grid = {.names = {"N", "M", "T"}, .width = width};
    for (size_t i = 0; i < n_count * m_count * t_count; i++) {
        double *row = &grid.rows[grid.count++ * width];
        row[0] = n[i / m_count / t_count];
        row[1] = m[i / t_count % m_count];
        if (width > 2)
            row[2] = t[i % t_count];
    }
    return grid;
}

static int init_axis(const struct grid *grid, struct ft_axis *axis)
{
    size_t distinct[FT_PARAMETERS_MAX];
    for (size_t i = 0; i < grid->width; i++)
        distinct[i] = ft_axis_distinct(grid->rows, grid->count, grid->width, i);
    const struct ft_basis basis = ft_cross_basis(grid->names, grid->width, distinct);
    return ft_axis_init(axis, &basis, grid->rows, grid->count, NULL);
}

/* Fits a law, times 1 +- noise, over a grid. Gives its value at a point. */
static double fit_law(const struct grid *grid, law *known, double noise, const double *at,
                      struct ft_function *ret_function)
{
    struct ft_axis axis;
    struct ft_fitter *fitter;
    double y[FT_TRAINING_MAX];
    uint64_t state = 7;
    if (init_axis(grid, &axis) < 0 || ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    for (size_t i = 0; i < grid->count; i++) {
        double wobble = (double)random_below(&state, 2001) / 1000 - 1;
        y[i] = known(grid->rows + i * grid->width) * (1 + noise * wobble);
    }
    const struct ft_expectation nothing = ft_expect_nothing(&axis);
    ft_fit_function(fitter, y, 0, &nothing, ret_function);
    const struct ft_point point = ft_point_at(&axis.basis, at);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return ft_function_at(ret_function, &point);
}

static void test_law(const char *what, const struct grid *grid, law *known, double noise,
                     const double *at, double tolerance, bool exact)
{
    struct ft_function function;
    double value = fit_law(grid, known, noise, at, &function), right = known(at);
    tap_ok(fabs(value / right - 1) <= tolerance && function.exact == exact,
           "%s: %.9g, right is %.9g, training error %.2g, %s", what, value, right,
           function.rms_relative_error, function.exact ? "exact" : "not exact");
}

static double multiply(const double *at)
{
    const double n = at[0], m = at[1];
    return 2 * n * n * n * m + 2 * n * n * m + 5 * m;
}

static double start_and_repeat(const double *at)
{
    const double n = at[0], m = at[1];
    return n * n * n / 8 * m + 3 * n * n + 17 * n + 33110;
}

static double triangle(const double *at)
{
    const double n = at[0], m = at[1];
    return n * (n + 1) * (n + 2) / 6 + m * (m - 1) / 2 * n;
}

static double shared_plane(const double *at)
{
    return at[0] * at[0] / at[1] + 3 * at[0];
}

static double sorted_rows(const double *at)
{
    return at[1] * at[0] * log2(at[0]) * 4;
}

static double box(const double *at)
{
    const double n = at[0], m = at[1], t = at[2];
    return n * m * t + 2 * n * m + 2 * m * t + 2 * n * t + 8;
}

static double swept_plane(const double *at)
{
    return 3 * at[0] * at[1] * at[2] + at[0] * at[1];
}

static void test_two(void)
{
    static const double n[] = {16, 32, 48, 64, 80}, m[] = {1, 2, 3}, t[] = {1, 2, 4, 8};
    static const double more[] = {1, 2, 3, 5, 8}, few[] = {16, 24, 32}, inside[] = {28, 4};
    static const double odd[] = {17, 29, 42, 61, 80}, one[] = {1};
    static const double far[] = {320, 12}, many[] = {320, 32};
    const struct grid repeats = grid_of(2, n, 5, m, 3, one, 1);
    const struct grid two_repeats = grid_of(2, n, 5, m, 2, one, 1);
    const struct grid threads = grid_of(2, n, 5, t, 4, one, 1);
    const struct grid uneven = grid_of(2, odd, 5, t, 4, one, 1);
    const struct grid wide = grid_of(2, odd, 5, more, 5, one, 1);
    const struct grid narrow = grid_of(2, few, 3, more, 5, one, 1);
    test_law("a product of loops", &repeats, multiply, 0, far, 0, true);
    test_law("at two repetitions", &two_repeats, multiply, 0, far, 0, true);
    test_law("start-up and repetitions", &repeats, start_and_repeat, 0, far, 0, true);
    test_law("sixths and halves", &wide, triangle, 0, many, 1e-15, true);
    test_law("a cubic through three values of N", &narrow, triangle, 0, inside, 0.1, false);
    test_law("a plane that threads share", &threads, shared_plane, 0, many, 1e-6, false);
    test_law("rows that are sorted", &uneven, sorted_rows, 0, many, 1e-6, false);
    test_law("noise of a thousandth", &repeats, multiply, 1e-3, far, 0.05, false);
    test_law("noise of a twentieth", &repeats, multiply, 0.05, far, 0.6, false);
    struct grid holes = threads;
    holes.count = 0;
    for (size_t i = 0; i < threads.count; i++)
        if (i % 3 != 1) {
            holes.rows[2 * holes.count] = threads.rows[2 * i];
            holes.rows[2 * holes.count++ + 1] = threads.rows[2 * i + 1];
        }
    test_law("a grid with holes", &holes, start_and_repeat, 0, many, 0, true);
}

static void test_three(void)
{
    static const double n[] = {8, 16, 24}, m[] = {5, 10, 20}, t[] = {1, 2}, more[] = {1, 3, 5};
    static const double far[] = {96, 60, 9};
    const struct grid few = grid_of(3, n, 3, m, 3, t, 2);
    const struct grid many = grid_of(3, n, 3, m, 3, more, 3);
    test_law("faces of a box", &many, box, 0, far, 0, true);
    test_law("faces, two values of the third", &few, box, 0, far, 0, true);
    test_law("sweeps over a plane", &few, swept_plane, 0, far, 0, true);
    test_law("sweeps with noise", &many, swept_plane, 1e-3, far, 0.05, false);
}

/* What sizes cannot tell. */
static void test_refused(void)
{
    static const char *const names[] = {"N", "M"};
    static const double together[] = {1, 2, 2, 4, 3, 6, 4, 8, 5, 10};
    static const double cross[] = {1, 1, 2, 1, 3, 1, 1, 2, 1, 3};
    static const double grid[] = {1, 1, 1, 2, 2, 1, 2, 2, 3, 1};
    struct ft_diag diag = {0};
    tap_ok(ft_training_check_identifiable(together, 5, names, 2, &diag) == FT_ERROR_USAGE, "%s",
           diag.message);
    tap_ok(ft_training_check_identifiable(cross, 5, names, 2, &diag) == FT_ERROR_USAGE, "%s",
           diag.message);
    tap_ok(ft_training_check_identifiable(grid, 5, names, 2, &diag) == FT_OK, "a grid tells all");
}

int main(void)
{
    test_two();
    test_three();
    test_refused();
    return tap_plan_done();
}
