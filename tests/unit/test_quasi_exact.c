/*
 * Counts that are quasi-polynomials of the size are found exactly and predicted exactly: lines that
 * are counted here one by one, and random ones of each period and degree, evaluated in whole
 * numbers. One count that is off by 1, or too few sizes, and nothing is exact.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit/functions/alignment.h"
#include "fit/functions/counts.h"
#include "fit/functions/quasi_exact.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES_MAX 9
#define TRIALS    200

struct fixture {
    struct ft_basis basis;
    struct ft_axis axis;
    struct ft_quasi_exact *search;
    struct ft_fitter *fitter;
};

static void set_up(struct fixture *fixture, const double *sizes, size_t count)
{
    fixture->basis = ft_basis_default("N");
    ft_alignment_extend(&fixture->basis, sizes, count);
    if (ft_axis_init(&fixture->axis, &fixture->basis, sizes, count, NULL) < 0 ||
        ft_quasi_exact_create(&fixture->axis, &fixture->search, NULL) < 0 ||
        ft_fitter_create(&fixture->axis, &fixture->fitter, NULL) < 0)
        abort();
}

static void tear_down(struct fixture *fixture)
{
    ft_fitter_destroy(fixture->fitter);
    ft_quasi_exact_destroy(fixture->search);
    ft_axis_fini(&fixture->axis);
}

static double value_at(const struct fixture *fixture, const struct ft_function *function, double n)
{
    struct ft_point at = ft_point_at(&fixture->basis, &n);
    return ft_function_at(function, &at);
}

/* Lines of so many elements that each of n rows of n elements touches, one row behind the other. */
static double lines_of_rows(unsigned n, unsigned elements)
{
    unsigned lines = 0;
    for (unsigned row = 0; row < n; row++)
        lines += ((row + 1) * n - 1) / elements - row * n / elements + 1;
    return lines;
}

/* The same where each row begins with a line. */
static double padded_lines(unsigned n, unsigned elements)
{
    return ceil((double)n / elements) * n;
}

static void test_lines(void)
{
    static const double even[8] = {10, 12, 14, 16, 20, 24, 28, 30};
    static const double two[6] = {12, 16, 20, 24, 28, 32};
    static const unsigned beyond[] = {36, 44, 48, 50, 54, 56, 90, 100, 104, 128, 202, 400};
    const struct ft_expectation nothing = {.terms = 1, .leading = FT_NO_TERM};
    struct fixture mixed, halves;
    struct ft_function function;
    double y[8];
    set_up(&mixed, even, 8);
    for (int i = 0; i < 8; i++)
        y[i] = lines_of_rows((unsigned)even[i], 8);
    size_t first = ft_fit_function(mixed.fitter, y, 0, &nothing, &function);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        wrong += value_at(&mixed, &function, beyond[i]) != lines_of_rows(beyond[i], 8);
    tap_ok(first == 0 && function.exact && wrong == 0,
           "lines of rows of 10 to 30 elements: exact at all even sizes to 400");
    for (int i = 0; i < 8; i++)
        y[i] = lines_of_rows((unsigned)even[i], 8) + (i == 4);
    ft_fit_function(mixed.fitter, y, 0, &nothing, &function);
    tap_ok(!function.exact, "with one more at one size nothing is exact");
    tear_down(&mixed);
    set_up(&halves, two, 6);
    for (int i = 0; i < 6; i++)
        y[i] = padded_lines((unsigned)two[i], 8);
    ft_fit_function(halves.fitter, y, 0, &nothing, &function);
    wrong = 0;
    for (unsigned n = 36; n < 400; n += 4)
        wrong += value_at(&halves, &function, n) != padded_lines(n, 8);
    tap_ok(function.exact && wrong == 0, "N ceil(N / 8) of two residues: exact at both");
    tear_down(&halves);
}

/* Small fractions of powers and of aligned ones below the degree; whole at all sizes. */
struct law {
    int powers[4], aligned[3]; /* over 1, and over 1 for the modulus times align() */
    unsigned modulus;
};

static double law_at(const struct law *law, unsigned n)
{
    long value = 0, power = 1, rest = (long)(law->modulus * ft_alignment(n, law->modulus));
    for (int i = 0; i < 4; i++, power *= n)
        value += law->powers[i] * power + (i < 3 ? law->aligned[i] * power * rest : 0);
    return (double)value;
}

static struct law draw_law(uint64_t *state, unsigned degree, unsigned modulus)
{
    struct law law = {.modulus = modulus};
    for (unsigned i = 0; i <= degree; i++)
        law.powers[i] = (int)random_below(state, 50);
    for (unsigned i = 0; i < degree; i++)
        law.aligned[i] = (int)random_below(state, 20);
    law.powers[degree]++;
    law.aligned[random_below(state, degree)]++;
    return law;
}

static void test_laws(const double *sizes, size_t count, unsigned modulus, unsigned degree)
{
    struct fixture fixture;
    uint64_t state = modulus + degree;
    unsigned missed = 0, wrong = 0, spoilt = 0;
    set_up(&fixture, sizes, count);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct law law = draw_law(&state, degree, modulus);
        struct ft_function function;
        double y[SIZES_MAX];
        for (size_t i = 0; i < count; i++)
            y[i] = law_at(&law, (unsigned)sizes[i]);
        if (!ft_quasi_exact_find(fixture.search, y, 0, &function)) {
            missed++;
            continue;
        }
        for (size_t i = 0; i < count; i++) /* of all residues that were seen */
            for (unsigned n = (unsigned)sizes[i]; n < 1000; n += 16 * 7)
                wrong += value_at(&fixture, &function, n) != law_at(&law, n);
        y[random_below(&state, count)] += 1;
        spoilt += !ft_quasi_exact_find(fixture.search, y, 0, &function);
    }
    tap_ok(missed == 0 && wrong == 0 && spoilt == TRIALS,
           "period %u, degree %u: %d of %d found, none off by 1 is (%d)", modulus, degree,
           TRIALS - (int)missed, TRIALS, (int)spoilt);
    tear_down(&fixture);
}

static void test_refusals(void)
{
    static const double alike[6] = {16, 32, 48, 64, 80, 96}, five[5] = {12, 16, 20, 24, 28};
    struct fixture fixture;
    struct ft_function function;
    const double y[5] = {12 * 13, 16 * 17 + 5, 20 * 21, 24 * 25 + 5, 28 * 29};
    set_up(&fixture, alike, 6);
    tap_ok(!fixture.search && !ft_quasi_exact_find(fixture.search, alike, 0, &function),
           "sizes that agree have none");
    tear_down(&fixture);
    set_up(&fixture, five, 5);
    tap_ok(!ft_quasi_exact_find(fixture.search, y, 0, &function),
           "four terms over five sizes leave one to spare: not enough");
    const double simple[5] = {12 * 12 + 6, 256, 406, 576, 28 * 28 + 6};
    tap_ok(ft_quasi_exact_find(fixture.search, simple, 0, &function) && function.exact,
           "N^2 and an alignment leave three");
    tap_ok(!ft_quasi_exact_find(fixture.search, simple, 2, &function),
           "but not over the last three sizes");
    tear_down(&fixture);
}

int main(void)
{
    static const double mixed[SIZES_MAX] = {12, 16, 20, 24, 28, 32, 40, 44, 48};
    static const double halves[SIZES_MAX] = {24, 32, 40, 48, 56, 64, 72, 80, 96};
    gsl_set_error_handler_off();
    test_lines();
    for (unsigned degree = 1; degree <= 3; degree++) {
        test_laws(mixed, SIZES_MAX, 8, degree);
        test_laws(halves, SIZES_MAX, 16, degree);
    }
    test_laws(mixed, 7, 8, 1);
    test_laws(mixed, 7, 8, 2);
    test_refusals();
    return tap_plan_done();
}
