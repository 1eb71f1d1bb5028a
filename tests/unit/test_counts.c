/*
 * Functions of the size: exact polynomials, constrained fits, expectations where values scatter;
 * and the clamps of a model's evaluation.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/evaluate.h"
#include "fit/functions/alignment.h"
#include "fit/functions/counts.h"
#include "fit/functions/exact.h"
#include "fit/functions/shape.h"
#include "tests/support/random.h"
#include "tests/support/same_functions.h"
#include "tests/support/tap.h"

static const double sizes[5] = {16, 24, 32, 40, 48};

static double value_at(const struct ft_function *function, double n)
{
    struct ft_basis basis = ft_basis_default("N");
    struct ft_point at = ft_point_at(&basis, &n);
    return ft_function_at(function, &at);
}

/* base + slope n. */
static struct ft_function line(double base, double slope)
{
    struct ft_basis basis = ft_basis_default("N");
    struct ft_function function = {.coefficients = {base}};
    function.coefficients[ft_basis_power(&basis, 1)] = slope;
    return function;
}

static struct ft_function fit(struct ft_fitter *fitter, const double *y,
                              const struct ft_expectation *expectation)
{
    struct ft_expectation nothing = ft_expect_nothing(ft_fitter_axis(fitter));
    struct ft_function function;
    ft_fit_function(fitter, y, 0, expectation ? expectation : &nothing, &function);
    return function;
}

static void test_exact(void)
{
    double y[5], coefficients[4];
    size_t spare = 0;
    for (int i = 0; i < 5; i++)
        y[i] = pow(sizes[i] - 2, 3) / 8 + 3 * sizes[i] + 7; /* whole at even sizes */
    tap_ok(ft_exact_polynomial(sizes, y, 5, coefficients, &spare) && spare == 1 &&
               coefficients[3] == 0.125 && coefficients[2] == -0.75 && coefficients[1] == 4.5 &&
               coefficients[0] == 6,
           "a cubic through five sizes is found as fractions, one size to spare");
    tap_ok(!ft_exact_polynomial(sizes, y, 4, coefficients, &spare),
           "four sizes leave none over to verify a cubic");
    y[2] += 1;
    tap_ok(!ft_exact_polynomial(sizes, y, 5, coefficients, &spare), "one count off is not exact");
    static const double huge[5] = {200000, 300000, 400000, 500000, 600000};
    for (int i = 0; i < 5; i++)
        y[i] = 6 * huge[i] + 12345;
    tap_ok(ft_exact_polynomial(huge, y, 5, coefficients, &spare) && spare == 3 &&
               coefficients[1] == 6 && coefficients[0] == 12345,
           "large sizes do not overflow");
    y[0] = 0.5;
    tap_ok(!ft_exact_polynomial(huge, y, 5, coefficients, &spare), "fractions are no counts");
}

static void test_functions(struct ft_fitter *fitter)
{
    double y[5] = {7, 7, 7, 7, 7};
    struct ft_function function = fit(fitter, y, NULL);
    tap_ok(function.exact && value_at(&function, 1000) == 7, "a constant stays constant");

    for (int i = 0; i < 5; i++)
        y[i] = 5 * pow(sizes[i], 3) / 8 + 2 * sizes[i] * sizes[i];
    function = fit(fitter, y, NULL);
    tap_ok(function.exact && value_at(&function, 200) == 5080000,
           "an exact cubic predicts exactly");

    for (int i = 0; i < 5; i++) /* no polynomial passes through all of these */
        y[i] = floor(1000 * sqrt(3) * sizes[i] * sizes[i] + 500 * sin(sizes[i]));
    function = fit(fitter, y, NULL);
    double expected = 1000 * sqrt(3) * 200 * 200;
    tap_ok(!function.exact && fabs(value_at(&function, 200) / expected - 1) < 0.01,
           "a quadratic with noise: %.0f where %.0f is right", value_at(&function, 200), expected);

    for (int i = 0; i < 5; i++)
        y[i] = 10 * sizes[i] * log2(sizes[i]) * (i % 2 ? 1.0001 : 0.9999) + 1000;
    struct ft_function high = fit(fitter, y, NULL);
    tap_ok(value_at(&high, 192) < 1.06 * (10 * 192 * log2(192) + 1000) &&
               value_at(&high, 192) > 0.94 * (10 * 192 * log2(192) + 1000),
           "n log n is met within 6 %% at four times the largest size");
}

/* Values that rise, then fall a little: a parabola through them would turn down and below 0. */
static void test_shape(struct ft_fitter *fitter)
{
    static const double y[5] = {1000, 1400, 1700, 1850, 1900};
    struct ft_function function = fit(fitter, y, NULL);
    double previous = 0;
    bool rises = true;
    for (int n = 16; n <= 192; n += 4) {
        rises = rises && value_at(&function, n) >= previous * (1 - 1e-9);
        previous = value_at(&function, n);
    }
    tap_ok(rises, "a fit of rising values never falls, up to four times the largest size");
    static const double falling[5] = {1000, 610, 405, 320, 300};
    function = fit(fitter, falling, NULL);
    tap_ok(value_at(&function, 192) >= 0 && value_at(&function, 192) <= value_at(&function, 16),
           "a fit of falling values neither rises again nor becomes negative");
}

static int read_shape(const char *text, uint32_t *ret_shape)
{
    return ft_shape_read(text, ret_shape, NULL);
}

/* How a function runs from the smallest size to four times the largest: in its largest value. */
struct run {
    double rise, fall, up, down; /* the largest steps, and bulges above and below the chord */
};
static struct run run_of(const struct ft_function *function)
{
    struct run run = {0};
    double largest = 1;
    for (int n = 20; n < 192; n += 4) {
        double before = value_at(function, n - 4), here = value_at(function, n);
        double out = here - (before + value_at(function, n + 4)) / 2;
        run.rise = fmax(run.rise, here - before);
        run.fall = fmax(run.fall, before - here);
        run.up = fmax(run.up, out);
        run.down = fmax(run.down, -out);
        largest = fmax(largest, here);
    }
    return (struct run){run.rise / largest, run.fall / largest, run.up / largest,
                        run.down / largest};
}

/* Shapes that a user asks for, of values that have others. */
static void test_asked_shapes(void)
{
    static const double wavy[5] = {100, 320, 280, 500, 430};
    static const double steep[5] = {100, 210, 470, 1210, 2500};
    static const double flat[5] = {1000, 1500, 1750, 1860, 1930};
    static const double *const values[] = {wavy, steep, flat};
    static const char *const shapes[] = {"convex",  "concave",        "rising",
                                         "falling", "falling,convex", "rising,concave"};
    unsigned broken = 0, fits = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct ft_basis basis = ft_basis_default("N");
        struct ft_axis axis;
        struct ft_fitter *fitter;
        if (read_shape(shapes[i], &basis.shape) < 0 ||
            ft_axis_init(&axis, &basis, sizes, 5, NULL) < 0 ||
            ft_fitter_create(&axis, &fitter, NULL) < 0)
            abort();
        for (size_t k = 0; k < 3; k++) {
            struct ft_function function = fit(fitter, values[k], NULL);
            struct run run = run_of(&function);
            broken += (basis.shape & FT_SHAPE_CONVEX && run.up > 1e-6) ||
                      (basis.shape & FT_SHAPE_CONCAVE && run.down > 1e-6) ||
                      (basis.shape & FT_SHAPE_RISING && run.fall > 1e-6) ||
                      (basis.shape & FT_SHAPE_FALLING && run.rise > 1e-6);
            fits++;
        }
        ft_fitter_destroy(fitter);
        ft_axis_fini(&axis);
    }
    tap_ok(broken == 0, "%u fits have the shapes that were asked for, but for %u", fits, broken);
}

/* "any" is least squares alone: a parabola through a wave rises and falls, as it would not
 * otherwise. */
static void test_any_shape(void)
{
    static const double hill[5] = {100, 900, 1230, 900, 100};
    struct ft_basis basis;
    struct ft_axis axis;
    struct ft_fitter *fitter;
    if (ft_basis_read(&basis, "N", "N,N^2", NULL) < 0 || read_shape("any", &basis.shape) < 0 ||
        ft_axis_init(&axis, &basis, sizes, 5, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    struct ft_function function = fit(fitter, hill, NULL);
    struct ft_point middle = ft_axis_point(&axis, 32), last = ft_axis_point(&axis, 48);
    double top = ft_function_at(&function, &middle), end = ft_function_at(&function, &last);
    tap_ok(top > 1100 && end < 300, "a hill is met where any shape may be: %.0f, then %.0f", top,
           end);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    uint32_t shape = 77;
    tap_ok(read_shape("convex,concave", &shape) == FT_ERROR_USAGE &&
               read_shape("rising,falling", &shape) == FT_ERROR_USAGE &&
               read_shape("any,rising", &shape) == FT_ERROR_USAGE &&
               read_shape("round", &shape) == FT_ERROR_USAGE &&
               read_shape("", &shape) == FT_ERROR_USAGE &&
               read_shape("rising,", &shape) == FT_ERROR_USAGE && shape == 77,
           "shapes that exclude each other, and words that are none, are refused");
}

/* However values scatter, a function bends one way over its whole grid. */
static void test_bend(struct ft_fitter *fitter)
{
    double worst = 0;
    uint64_t state = 1;
    for (int trial = 0; trial < 300; trial++) {
        double y[5] = {0}, up = 0, down = 0, largest = 0;
        for (int i = 0; i < 5; i++)
            y[i] = (i > 0 ? y[i - 1] : 0) + (double)random_below(&state, 1000);
        struct ft_function function = fit(fitter, y, NULL);
        for (int n = 20; n < 192; n += 4) {
            double out = value_at(&function, n) -
                         (value_at(&function, n - 4) + value_at(&function, n + 4)) / 2;
            up = fmax(up, out);
            down = fmax(down, -out);
            largest = fmax(largest, value_at(&function, n));
        }
        worst = fmax(worst, fmin(up, down) / largest);
    }
    tap_ok(worst < 1e-6, "300 random rises: each fit bends one way (%.1e)", worst);
}

/* Values that follow no law of a few terms closely. */
static void test_scatter(void)
{
    static const double rows[5] = {800, 1200, 1600, 2000, 2400};
    struct ft_axis axis;
    struct ft_fitter *fitter;
    if (ft_axis_init(&axis, NULL, rows, 5, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0) {
        tap_ok(false, "a fitter");
        return;
    }
    /* Calls of a lock in a database: 4.06 a row, and fewer at first for a while. */
    static const double kinked[5] = {8127, 10551, 12177, 13801, 15429};
    struct ft_function function = fit(fitter, kinked, NULL);
    double at = value_at(&function, 9600);
    tap_ok(at > 44000 && at < 45500, "a kink between small sizes is no cubic: %.0f for 44681", at);
    /* A table that doubles now and then. */
    static const double steps[5] = {1248, 1901, 2940, 3621, 7348};
    function = fit(fitter, steps, NULL);
    at = value_at(&function, 9600);
    tap_ok(at > 7348 && at < 6 * 7348, "a jump at the largest size is no n^3: %.1f times at 4 n",
           at / 7348);
    /* First touches of buffers, page by page, in a program that does something a row. */
    static const double pages[5] = {868, 1057, 1246, 1372, 1624};
    struct ft_function whole = line(10000, 1);
    struct ft_expectation part = ft_expect_part(&axis, &whole);
    function = fit(fitter, pages, &part);
    at = value_at(&function, 9600);
    tap_ok(at > 4000 && at < 5500, "nor does a part outgrow the whole by chance: %.0f", at);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
}

/* Pages that columns go through whose rows are shorter than a page: n^4/512, of the n^3 touches.
 * From 136 on the matrix starts at another place in its page. Three terms up to n^3 meet these as
 * well. */
static void test_narrow_range(void)
{
    static const double near[5] = {88, 104, 120, 136, 152};
    static const double pages[5] = {123904, 237952, 417600, 675648, 1050624};
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_function whole = {.exact = true};
    if (ft_axis_init(&axis, NULL, near, 5, NULL) < 0 || ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    whole.coefficients[ft_basis_power(&axis.basis, 3)] = 1;
    struct ft_expectation part = ft_expect_part(&axis, &whole);
    struct ft_function function = fit(fitter, pages, &part);
    double ratio = value_at(&function, 312) / (pow(312, 4) / 512);
    tap_ok(ratio > 0.95 && ratio < 1.05, "faster growth in a narrow range: %.3f of the truth",
           ratio);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
}

/* What a fitter was asked before makes no difference, nor what it has forgotten since. */
static void test_repetition(const struct ft_axis *axis)
{
    enum { QUESTIONS = 1500 };
    static double values[QUESTIONS][5];
    static struct ft_function first[QUESTIONS];
    struct ft_expectation nothing = ft_expect_nothing(axis), linear = nothing;
    struct ft_fitter *fitter = NULL, *fresh = NULL;
    uint64_t state = 5;
    unsigned differ = 0, repeated = 0;
    linear.terms = linear.scattered = 1U << ft_basis_power(&axis->basis, 1);
    linear.further = 0;
    if (ft_fitter_create(axis, &fitter, NULL) < 0)
        abort();
    for (int i = 0; i < QUESTIONS; i++)
        for (int k = 0; k < 5; k++)
            values[i][k] = (k > 0 ? values[i][k - 1] : 0) + (double)random_below(&state, 1000);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < QUESTIONS; i++) {
            struct ft_function again[3];
            size_t from = (size_t)i % 2;
            ft_fit_function(fitter, values[i], from, &nothing, &again[0]);
            size_t used = ft_fit_function(fitter, values[i], from, &nothing, &again[1]);
            ft_fit_function(fitter, values[i], from, i % 3 ? &nothing : &linear, &again[2]);
            first[i] = round == 0 ? again[0] : first[i];
            repeated += same_functions(&again[0], &again[2]);
            differ += !same_functions(&first[i], &again[0]) ||
                      !same_functions(&again[0], &again[1]) || used != again[0].left_out;
        }
    for (int i = 0; i < QUESTIONS; i += 50) {
        struct ft_function alone;
        if (ft_fitter_create(axis, &fresh, NULL) < 0)
            abort();
        ft_fit_function(fresh, values[i], (size_t)i % 2, &nothing, &alone);
        differ += !same_functions(&first[i], &alone);
        ft_fitter_destroy(fresh);
    }
    tap_ok(differ == 0 && repeated < 2 * QUESTIONS,
           "a question has one answer, another expectation of it another (%u of %d)",
           2 * QUESTIONS - repeated, QUESTIONS);
    ft_fitter_destroy(fitter);
}

static void test_expectation(const struct ft_axis *axis, struct ft_fitter *fitter)
{
    struct ft_function whole = {.exact = true};
    whole.coefficients[ft_basis_power(&axis->basis, 3)] = 1;
    struct ft_expectation part = ft_expect_part(axis, &whole);
    double y[5];
    for (int i = 0; i < 5; i++) /* an eighth of n^3, with noise that looks like n^2 */
        y[i] = pow(sizes[i], 3) / 8 * (1.2 - 0.08 * i + (i % 2 ? 0.1 : 0));
    struct ft_function function = fit(fitter, y, &part);
    double ratio = value_at(&function, 144) / (pow(144, 3) / 8);
    tap_ok(ratio > 0.7 && ratio < 1.3, "scattered parts grow like the whole: %.2f of the truth",
           ratio);
    for (int i = 0; i < 5; i++)
        y[i] = 3 * sizes[i] * sizes[i] * (i % 2 ? 1.005 : 0.995);
    function = fit(fitter, y, &part);
    ratio = value_at(&function, 144) / (3 * 144 * 144);
    tap_ok(ratio > 0.97 && ratio < 1.03, "unless the data says otherwise: %.3f of the truth",
           ratio);
    for (int i = 0; i < 5; i++)
        y[i] = floor(pow(sizes[i], 4) / 512);
    function = fit(fitter, y, &part);
    ratio = value_at(&function, 144) / (pow(144, 4) / 512);
    tap_ok(ratio > 0.97 && ratio < 1.03, "a part may grow faster for a while: %.3f of the truth",
           ratio);
}

/* Tails 100, 60, 80, -5 with distances 10, 50, 40, 1e9 in a footprint of 1000 blocks. */
static void test_evaluation(void)
{
    struct ft_model_bin bins[4] = {{line(1, 0), line(10, 0)},
                                   {line(60, 0), line(50, 0)},
                                   {line(50, 0), line(40, 0)},
                                   {line(-5, 0), line(1e9, 0)}};
    struct ft_model_member member = {.weight = 1, .bins = ft_member_bins_of(bins, 4)};
    struct ft_model_histogram histogram = {line(120, 0), line(20, 0), &member, 1};
    struct ft_model_group group = {.accesses = line(110, 0), .histograms = &histogram};
    struct ft_function footprint = line(1000, 0);
    double training[2] = {16, 48};
    const double n = 64;
    struct ft_model model = {.basis = ft_basis_default("N"),
                             .training = training,
                             .training_count = 2,
                             .size_count = 1,
                             .distinct_blocks = &footprint,
                             .groups = &group,
                             .group_count = 1};
    struct ft_point at = ft_point_at(&model.basis, &n);
    struct ft_forecast forecast = {0};
    int status = ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL);
    tap_ok(status == FT_OK && forecast.touches == 120 && forecast.cold == 20 &&
               forecast.accesses == 110,
           "totals are evaluated");
    tap_ok(forecast.bin_count == 2 && forecast.bins[0].touches == 40 &&
               forecast.bins[1].touches == 60 &&
               fabs(forecast.bins[1].distance_blocks - (50. * 10 + 40. * 50) / 60) < 1e-12,
           "tails are clamped, distances that do not rise are pooled");
    tap_ok(ft_forecast_misses(&forecast, 5) == 120 && ft_forecast_misses(&forecast, 20) == 80 &&
               ft_forecast_misses(&forecast, 1000) == 20,
           "misses are cold touches and those at or beyond the capacity");
    free(member.bins);
    bins[3].tail = line(30, 0);
    member.bins = ft_member_bins_of(bins, 4);
    ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL);
    tap_ok(forecast.bin_count == 3 && forecast.bins[2].distance_blocks == 1000,
           "distances stay within the footprint");
    tap_ok(ft_model_extrapolation(&model, 96) == 2 && ft_model_extrapolation(&model, 8) == 2 &&
               ft_model_extrapolation(&model, 30) == 1,
           "extrapolation is told");
    ft_forecast_fini(&forecast);
    free(member.bins);
}

/* A law that the default terms do not have. */
static void test_chosen(void)
{
    struct ft_basis basis;
    struct ft_axis axis;
    struct ft_fitter *fitter;
    double y[5];
    if (!tap_ok(ft_basis_read(&basis, "N", "N^1.5,sqrt(N)", NULL) == FT_OK &&
                    ft_axis_init(&axis, &basis, sizes, 5, NULL) == FT_OK &&
                    ft_fitter_create(&axis, &fitter, NULL) == FT_OK,
                "a fitter with terms of a user"))
        return;
    for (int i = 0; i < 5; i++)
        y[i] = 100 * pow(sizes[i], 1.5) + 7 * sqrt(sizes[i]);
    struct ft_function function = fit(fitter, y, NULL);
    struct ft_point at = ft_axis_point(&axis, 400);
    double expected = 100 * 8000 + 7 * 20;
    tap_ok(fabs(ft_function_at(&function, &at) / expected - 1) < 1e-6,
           "100 N^1.5 + 7 N^0.5 is met far away: %.1f for %.1f", ft_function_at(&function, &at),
           expected);
    for (int i = 0; i < 5; i++)
        y[i] = sizes[i] * sizes[i];
    function = fit(fitter, y, NULL);
    tap_ok(!function.exact, "no exact polynomial where its terms are not in the basis");
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
}

/* Lines of rows that start anywhere in a line, at sizes of two alignments: as without alignments
 * where these agree, and far better where they do not. */
static void test_alignments(void)
{
    static const double mixed[7] = {12, 16, 20, 24, 28, 32, 36};
    static const double alike[7] = {16, 32, 48, 64, 80, 96, 112};
    struct ft_basis basis = ft_basis_default("N"), same = basis;
    struct ft_axis axis, plain;
    struct ft_fitter *fitter, *without;
    double y[7], worst = 0, worst_without = 0;
    ft_alignment_extend(&same, alike, 7);
    ft_alignment_extend(&basis, mixed, 4);
    tap_ok(same.term_count == 7 && basis.term_count == 7,
           "sizes that agree, or are few, tell nothing of alignments");
    ft_alignment_extend(&basis, mixed, 7);
    tap_ok(basis.term_count == 10 && ft_alignment_terms(&basis) != 0,
           "sizes of two alignments modulo 8 do: %zu terms", basis.term_count);
    if (ft_axis_init(&axis, &basis, mixed, 7, NULL) < 0 ||
        ft_axis_init(&plain, NULL, mixed, 7, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0 || ft_fitter_create(&plain, &without, NULL) < 0)
        abort();
    for (int i = 0; i < 7; i++)
        y[i] = pow(mixed[i], 2) / 8 + 3 * mixed[i] * ft_alignment(mixed[i], 8) + 0.3;
    struct ft_function function = fit(fitter, y, NULL), other = fit(without, y, NULL);
    for (int step = 10; step <= 36; step++) {
        const double n = 4 * step;
        struct ft_point at = ft_point_at(&basis, &n), there = ft_point_at(&plain.basis, &n);
        double expected = n * n / 8 + 3 * n * ft_alignment(n, 8) + 0.3;
        worst = fmax(worst, fabs(ft_function_at(&function, &at) / expected - 1));
        worst_without = fmax(worst_without, fabs(ft_function_at(&other, &there) / expected - 1));
    }
    tap_ok(worst < 0.01 && worst_without > 0.02,
           "lines of rows within %.2g %% up to four times the largest size, %.2g %% without",
           100 * worst, 100 * worst_without);
    for (int i = 0; i < 7; i++)
        y[i] = 5 * pow(mixed[i], 2) * (i % 3 ? 1.002 : 0.998);
    function = fit(fitter, y, NULL);
    other = fit(without, y, NULL);
    const double far = 144;
    struct ft_point at = ft_point_at(&basis, &far), there = ft_point_at(&plain.basis, &far);
    tap_ok(ft_function_at(&function, &at) == ft_function_at(&other, &there),
           "what fits without them has none");
    ft_fitter_destroy(fitter);
    ft_fitter_destroy(without);
    ft_axis_fini(&axis);
    ft_axis_fini(&plain);
}

int main(void)
{
    gsl_set_error_handler_off();
    struct ft_axis axis;
    struct ft_fitter *fitter;
    if (ft_axis_init(&axis, NULL, sizes, 5, NULL) < 0 || ft_fitter_create(&axis, &fitter, NULL) < 0)
        return 1;
    test_exact();
    test_functions(fitter);
    test_shape(fitter);
    test_bend(fitter);
    test_asked_shapes();
    test_any_shape();
    test_scatter();
    test_narrow_range();
    test_repetition(&axis);
    test_expectation(&axis, fitter);
    test_chosen();
    test_alignments();
    test_evaluation();
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return tap_plan_done();
}
