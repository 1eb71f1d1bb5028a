/*
 * Intervals against known distributions: the jackknife of a mean is the mean's own interval, and
 * intervals of fitted laws cover the law about as often as they claim.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/counts.h"
#include "predict/commands/interval_text.h"
#include "predict/intervals/calibration.h"
#include "predict/intervals/interval.h"
#include "predict/widened_intervals.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES 6
#define RUNS  400

static uint64_t state = 20261122;

static double uniform(void)
{
    return ((double)(random_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static bool covers(const struct ft_interval *interval, double truth)
{
    return interval->low <= truth && truth <= interval->high;
}

/* The mean of values without each of them. */
static void mean_replicas(const double *values, double *ret_mean, double replicas[SIZES])
{
    double sum = 0;
    for (int i = 0; i < SIZES; i++)
        sum += values[i];
    for (int i = 0; i < SIZES; i++)
        replicas[i] = (sum - values[i]) / (SIZES - 1);
    *ret_mean = sum / SIZES;
}

static void check_means(void)
{
    int covered = 0;
    for (int run = 0; run < 10 * RUNS; run++) {
        double values[SIZES], replicas[SIZES], mean, square = 0;
        for (int i = 0; i < SIZES; i++)
            values[i] = 100 + 3 * normal();
        mean_replicas(values, &mean, replicas);
        struct ft_interval interval =
            ft_interval_of(&(struct ft_evidence){mean, replicas, SIZES, NULL, 0, 0, 0, 0});
        for (int i = 0; i < SIZES; i++)
            square += pow(values[i] - mean, 2);
        double half = ft_interval_errors(SIZES) * sqrt(square / (SIZES - 1) / SIZES);
        if (run == 0)
            tap_ok(fabs(interval.high - mean - half) < 1e-9 * mean &&
                       fabs(mean - interval.low - half) < 1e-9 * mean,
                   "Student's interval of a mean: %g to %g", interval.low, interval.high);
        covered += covers(&interval, 100);
    }
    double share = covered / (10.0 * RUNS);
    tap_ok(share > 0.94 && share < 0.96, "it holds the mean in %.1f %% of samples", 100 * share);
    tap_ok(fabs(ft_interval_errors(5) - 2.776445) < 1e-6, "Student's t of 4 degrees of freedom");
}

/* The law as fitted without one of the sizes (SIZES: to all), at a point. */
static double fitted_at(const double *n, const double *y, int without, double at)
{
    struct ft_axis axis;
    struct ft_fitter *fitter = NULL;
    struct ft_function function = {0};
    struct ft_diag diag;
    double sizes[SIZES], values[SIZES];
    size_t count = 0;
    for (int i = 0; i < SIZES; i++) {
        sizes[count] = n[i];
        values[count] = y[i];
        count += i != without;
    }
    if (ft_axis_init(&axis, NULL, sizes, count, &diag) < 0 ||
        ft_fitter_create(&axis, &fitter, &diag) < 0)
        return NAN;
    struct ft_expectation nothing = ft_expect_nothing(&axis);
    ft_fit_function(fitter, values, 0, &nothing, &function);
    const struct ft_point point = ft_axis_point(&axis, at);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return ft_function_at(&function, &point);
}

static double share_covered(double power, double noise, int *ret_unknown)
{
    static const double n[SIZES] = {100, 140, 180, 240, 300, 400};
    int covered = 0, told = 0;
    *ret_unknown = 0;
    for (int run = 0; run < RUNS; run++) {
        double y[SIZES], replicas[SIZES];
        for (int i = 0; i < SIZES; i++)
            y[i] = round(7 * pow(n[i], power) * exp(noise * normal()));
        for (int i = 0; i < SIZES; i++)
            replicas[i] = fitted_at(n, y, i, 1200);
        struct ft_interval interval = ft_interval_of(&(struct ft_evidence){
            fitted_at(n, y, SIZES, 1200), replicas, SIZES, NULL, 0, 0, 0.02, 0});
        *ret_unknown += !interval.known;
        told += interval.known;
        covered += interval.known && covers(&interval, 7 * pow(1200, power));
    }
    return told > 0 ? (double)covered / told : 1;
}

static void check_laws(void)
{
    int unknown;
    double share = share_covered(2, 0, &unknown);
    tap_ok(share == 1 && unknown == 0, "a law without noise is known");
    share = share_covered(2, 0.002, &unknown);
    tap_ok(share >= 0.9, "n^2 with 0.2 %% noise at 3 times the size: %.1f %% covered, %d unknown",
           100 * share, unknown);
    share = share_covered(1, 0.03, &unknown);
    tap_ok(share >= 0.9, "n with 3 %% noise: %.1f %% covered, %d unknown", 100 * share, unknown);
}

static void check_rules(void)
{
    const double same[] = {50, 50, 50, 50}, one_off[] = {50, 50, 50, 200}, others[] = {50, 54};
    struct ft_evidence evidence = {.estimate = 50, .replicas = same, .replica_count = 4};
    struct ft_interval interval = ft_interval_of(&evidence);
    tap_ok(interval.exact && interval.known && interval.low == 50 && interval.high == 50,
           "replicas that agree: exact");
    evidence.floor_relative = 0.02;
    interval = ft_interval_of(&evidence);
    tap_ok(!interval.exact && interval.low == 49 && interval.high == 51, "but for the floor");
    evidence.alternatives = others;
    evidence.alternative_count = 2;
    interval = ft_interval_of(&evidence);
    tap_ok(interval.low == 49 && interval.high == 54, "widened to what other rules compute");
    evidence.factor = log(2) / 2;
    interval = ft_interval_of(&evidence);
    tap_ok(fabs(interval.low - 50 / sqrt(2)) < 1e-9 && fabs(interval.high - 50 * sqrt(2)) < 1e-9 &&
               interval.known,
           "and by a factor");
    evidence.replicas = one_off;
    interval = ft_interval_of(&evidence);
    tap_ok(!interval.known && interval.low == 0 && interval.high > 200,
           "one replica that says four times as much: unknown");
    const double aside[] = {40, 40, 40, 40};
    evidence = (struct ft_evidence){.estimate = 50, .replicas = aside, .replica_count = 4};
    interval = ft_interval_of(&evidence);
    tap_ok(interval.known && interval.low == 40 && interval.high == 50,
           "replicas that agree with each other but not with the model: up to what they say");
    evidence.replica_count = 0;
    interval = ft_interval_of(&evidence);
    tap_ok(isnan(interval.low) && !interval.known && !interval.exact, "no replicas: no interval");
}

static void check_calibration(void)
{
    struct ft_interval interval = {95, 106, false, true};
    ft_interval_calibrate(FT_SPREAD_MISSES, 5, 100, 1, &interval);
    tap_ok(interval.low == 95 && interval.high == 106, "ends that are near stay where they are");
    interval = (struct ft_interval){100 * exp(-0.35), 100 * exp(0.75), false, false};
    ft_interval_calibrate(FT_SPREAD_MISSES, 5, 100, 1, &interval);
    tap_ok(fabs(interval.low - 100 * exp(-0.17)) < 1e-9 &&
               fabs(interval.high - 100 * exp(0.21)) < 1e-9 && interval.known,
           "far ones come nearer, and the value is known");
    interval = (struct ft_interval){0, 400, false, false};
    ft_interval_calibrate(FT_SPREAD_MISSES, 5, 100, 1, &interval);
    tap_ok(interval.low == 0 && interval.high < 150 && !interval.known,
           "none at all stays possible");
    interval = (struct ft_interval){0, INFINITY, false, false};
    ft_interval_calibrate(FT_SPREAD_MISSES, 5, 100, 1, &interval);
    tap_ok(interval.low == 0 && isinf(interval.high) && !interval.known, "so does anything");
    interval = (struct ft_interval){NAN, NAN, false, false};
    ft_interval_calibrate(FT_SPREAD_MISSES, 5, 100, 1, &interval);
    tap_ok(isnan(interval.low) && !interval.known, "no interval becomes none");
    const double ends[] = {100, 180};
    interval = (struct ft_interval){100, 100, true, true};
    ft_interval_reach(100, 0, ends, 1, &interval);
    tap_ok(interval.exact && interval.high == 100, "an end that is the value leaves it exact");
    ft_interval_reach(100, 0, ends, 2, &interval);
    tap_ok(!interval.exact && interval.known && interval.low == 100 && interval.high == 180,
           "another one is reached as a whole");
}

static void check_sets(void)
{
    const struct ft_interval full = {980, 1020, false, true};
    struct ft_interval sets = {1000, 1100, false, true};
    sets = ft_widen_set_interval(sets, 1050, full, 1000);
    tap_ok(sets.low == 980 && sets.high == 1100,
           "sets without conflicts: as few misses as a fully associative cache may have");
    sets = (struct ft_interval){1040, 1060, false, true};
    sets = ft_widen_set_interval(sets, 1050, full, 1000);
    tap_ok(fabs(sets.low - 1.05 * 980) < 1e-9 && fabs(sets.high - 1.05 * 1020) < 1e-9,
           "conflicts that are sure: in proportion");
}

static void tap_text(const char *text, const char *expected, const char *what)
{
    tap_ok(strcmp(text, expected) == 0, "%s: '%s'", what, text);
}

/* Of one column without a title, as people see it. */
static void tap_cell(double value, struct ft_interval interval, const char *expected)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    struct ft_table *table = ft_table_create();
    if (!stream || !table)
        abort();
    ft_table_column(table, "", "figure", false);
    ft_table_estimate(table, value, &interval, ft_text_count);
    int status = ft_table_write(table, stream, false, NULL);
    ft_table_destroy(table);
    fclose(stream);
    text[strcspn(text + 1, "\n") + 1] = 0;
    tap_text(text + strspn(text, "\n"), expected, status == FT_OK ? "a cell" : "no table");
    free(text);
}

static void check_texts(void)
{
    char text[FT_INTERVAL_TEXT], number[FT_NUMBER_TEXT];
    const struct ft_interval some = {900, 1200, false, true}, wide = {0, 9000, false, false};
    const struct ft_interval exact = {1000, 1000, true, true}, none = {NAN, NAN, false, false};
    tap_text(ft_text_interval(text, &some, ft_text_count), "900 to 1.20 k", "a range");
    tap_text(ft_text_interval(text, &exact, ft_text_count), "exact", "an exact figure");
    tap_text(ft_text_interval(text, &none, ft_text_count), "", "nothing known");
    tap_text(ft_text_estimate(number, 1000, &wide, ft_text_count), "unknown", "a refusal");
    tap_text(ft_text_estimate(number, 1000, &none, ft_text_count), "1.00 k", "a figure alone");
    tap_cell(1000, some, "1.00 k +-20.0 %");
    tap_cell(1000, exact, "1.00 k");
    tap_cell(1000, none, "1.00 k");
    tap_cell(1000, wide, "unknown");
    tap_cell(1e-9, (struct ft_interval){0, 1, false, true}, "0.00 (0 to 1)");
    tap_cell(0, (struct ft_interval){0, 1, false, true}, "0 (0 to 1)");
    tap_cell(0, (struct ft_interval){0, 0, false, true}, "0");
}

int main(void)
{
    check_means();
    check_laws();
    check_rules();
    check_calibration();
    check_sets();
    check_texts();
    return tap_plan_done();
}
