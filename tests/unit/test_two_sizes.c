/* Functions through two sizes, 10 and 20: the slower and the faster term around their growth. */
#include <math.h>
#include <stdlib.h>

#include "fit/functions/counts.h"
#include "tests/support/tap.h"

static const double sizes[] = {10, 20};

/* The forecast at 40 of a function that may have the terms of a mask. */
static double ahead(const struct ft_axis *axis, double first, double last, uint32_t terms)
{
    const double y[] = {first, last}, n = 40;
    const struct ft_point at = ft_point_at(&axis->basis, &n);
    struct ft_expectation expectation = ft_expect_nothing(axis);
    struct ft_fitter *fitter;
    struct ft_function function;
    expectation.terms = terms;
    if (ft_fitter_create(axis, &fitter, NULL) < 0)
        abort();
    ft_fit_function(fitter, y, 0, &expectation, &function);
    ft_fitter_destroy(fitter);
    tap_ok(!function.exact, "two sizes confirm nothing");
    return ft_function_at(&function, &at);
}

static void check(const struct ft_axis *axis, double first, double last, uint32_t terms,
                  double expected, const char *what)
{
    const double found = ahead(axis, first, last, terms);
    tap_ok(fabs(found - expected) <= 1e-9 * expected, "%s: %g", what, found);
}

int main(void)
{
    struct ft_axis axis;
    struct ft_diag diag;
    if (ft_axis_init(&axis, NULL, sizes, 2, &diag) != FT_OK) {
        tap_ok(false, "an axis of two sizes: %s", diag.message);
        return tap_plan_done();
    }
    const uint32_t linear = 1U << ft_basis_power(&axis.basis, 1);
    const uint32_t powers = axis.powers.mask | 1U << ft_basis_power(&axis.basis, 4);
    check(&axis, 100, 400, powers, 1600, "a square");
    check(&axis, 100, 401, powers, 1602, "nearly a square");
    /* 5 n^2 + n^3 / 2 */
    check(&axis, 1000, 6000, powers, 40000, "between a square and a cube");
    /* 20 + 3 n */
    check(&axis, 50, 80, powers, 140, "between a constant and a line");
    check(&axis, 100, 99.5, powers, 99.75, "a constant that scatters");
    check(&axis, 100, 50, powers, 75, "what falls is its mean");
    check(&axis, 100, 800, linear, (10 + 40) / 2.0 * 40,
          "no faster term than a line: its mean slope");
    check(&axis, 0, 0, powers, 0, "nothing");
    tap_ok(ahead(&axis, 0, 300, powers) > 300, "what begins behind the first size grows on");
    ft_axis_fini(&axis);
    return tap_plan_done();
}
