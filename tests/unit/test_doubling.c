/*
 * Terms of transforms at sizes that double: where they are added, what they meet exactly, and that
 * scattered counts are not taken for them.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit/functions/counts.h"
#include "fit/functions/doubling.h"
#include "tests/support/tap.h"

#define SIZES 5

static const double doubling[SIZES] = {16, 32, 64, 128, 256};
static const double threefold[SIZES] = {12, 24, 48, 192, 384};
static const double others[SIZES] = {16, 32, 64, 96, 128};

static uint32_t terms_at(const double *sizes, size_t count)
{
    struct ft_basis basis = ft_basis_default("N");
    ft_doubling_extend(&basis, sizes, count);
    return ft_doubling_terms(&basis);
}

static void test_terms(void)
{
    uint32_t sets[FT_DOUBLING_SETS];
    struct ft_basis basis = ft_basis_default("N");
    tap_ok(__builtin_popcount(terms_at(doubling, SIZES)) == 2, "sizes that double have them");
    tap_ok(__builtin_popcount(terms_at(threefold, SIZES)) == 2, "from any size on, and with gaps");
    tap_ok(terms_at(others, SIZES) == 0, "other sizes have not");
    tap_ok(terms_at(doubling, 4) == 0, "four sizes would leave one that confirms");
    tap_ok(ft_doubling_sets(&basis, sets) == 0, "no sets without the terms");
    ft_doubling_extend(&basis, doubling, SIZES);
    size_t count = ft_doubling_sets(&basis, sets);
    bool distinct = count > 0 && count <= FT_DOUBLING_SETS;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            distinct = distinct && sets[i] != sets[k];
    tap_ok(distinct, "%zu sets, all of them different", count);
}

/* What is forecast at n from counts at sizes. */
static struct ft_function fit(const double *sizes, const double *y, double n, double *ret_value)
{
    struct ft_basis basis = ft_basis_default("N");
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_function function;
    ft_doubling_extend(&basis, sizes, SIZES);
    if (ft_axis_init(&axis, &basis, sizes, SIZES, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    const struct ft_expectation nothing = ft_expect_nothing(&axis);
    ft_fit_function(fitter, y, 0, &nothing, &function);
    const struct ft_point at = ft_point_at(&basis, &n);
    *ret_value = ft_function_at(&function, &at);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return function;
}

static double stages(double n)
{
    return 2 * n * n * log2(n);
}

static double box(double n)
{
    return 3 * n * n * n * log2(n) + 5 * n * n;
}

static double row(double n)
{
    return 8 * n * log2(n) - 4 * n + 1;
}

static void test_laws(void)
{
    double (*const laws[])(double n) = {stages, box, row};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        double y[SIZES], value;
        for (size_t k = 0; k < SIZES; k++)
            y[k] = laws[i](doubling[k]);
        const struct ft_function function = fit(doubling, y, 1024, &value);
        tap_ok(function.exact && value == laws[i](1024), "law %zu is exact at 1024", i);
        y[2] += 8;
        tap_ok(!fit(doubling, y, 1024, &value).exact, "with one count off it is not");
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    test_terms();
    test_laws();
    return tap_plan_done();
}
