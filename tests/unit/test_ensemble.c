/*
 * The ensemble of methods: weighted medians and errors that are worked out by hand, medians of
 * random histograms distance by distance, and what becomes of methods that are right, nearly right
 * and wrong by known factors.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/tail_median.h"
#include "fit/methods/bins.h"
#include "fit/methods/ensemble.h"
#include "tests/support/tap.h"

#define SIZES   5
#define TOUCHES 1000.0
#define COLD    100.0

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void test_weighted_median(void)
{
    static const double values[] = {30, 10, 20, 40};
    static const double equal[] = {1, 1, 1, 1}, heavy[] = {1, 5, 1, 1}, thirds[] = {1, 1, 1, 0.9};
    tap_ok(ft_weighted_median(values, equal, 3) == 20, "of three equals the middle one");
    tap_ok(ft_weighted_median(values, equal, 4) == 25, "of four equals the mean of the middle two");
    tap_ok(ft_weighted_median(values, heavy, 4) == 10, "more than half of the weight decides");
    tap_ok(ft_weighted_median(values, thirds, 4) == 20, "the first with more than half below it");
    tap_ok(ft_weighted_median(values, equal, 1) == 30, "of one itself");
}

static double tail_at(const struct ft_forecast_bin *bins, size_t count, double distance)
{
    double tail = 0;
    for (size_t i = 0; i < count; i++)
        tail += bins[i].distance_blocks >= distance ? bins[i].touches : 0;
    return tail;
}

/* Tails beyond 1, 2, 4, 8: 10 4 4 0, 10 10 5 5, 10 7 0 0. */
static void test_tail_median(void)
{
    static const struct ft_forecast_bin a[] = {{2, 6}, {8, 4}}, b[] = {{4, 5}, {9, 5}},
                                        c[] = {{2, 3}, {3, 7}};
    struct ft_weighted_forecast forecasts[] = {
        {.weight = 1, .bins = a, .bin_count = 2},
        {.weight = 1, .bins = b, .bin_count = 2},
        {.weight = 1, .bins = c, .bin_count = 2},
    };
    struct ft_forecast_bin bins[6];
    size_t count = ft_tail_median(forecasts, 3, 10, bins);
    tap_ok(count == 3 && bins[0].distance_blocks == 2 && bins[0].touches == 3 &&
               bins[1].distance_blocks == 3 && bins[1].touches == 3 &&
               bins[2].distance_blocks == 8 && bins[2].touches == 4,
           "three histograms: 10 touches, 7 beyond 2, 4 beyond 3, none beyond 8");
    forecasts[1].weight = 3;
    count = ft_tail_median(forecasts, 3, 10, bins);
    tap_ok(count == 2 && bins[0].distance_blocks == 4 && bins[1].touches == 5,
           "the one that outweighs the others");
}

static uint32_t random_below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

static void test_random_medians(void)
{
    uint32_t state = 1;
    size_t wrong = 0, checked = 0;
    for (int round = 0; round < 200; round++) {
        struct ft_forecast_bin lists[4][8], merged[32];
        struct ft_weighted_forecast forecasts[4];
        size_t count = 1 + random_below(&state, 4);
        for (size_t i = 0; i < count; i++) {
            double left = TOUCHES, distance = 0;
            size_t bins = 1 + random_below(&state, 8);
            for (size_t j = 0; j < bins; j++) {
                double touches =
                    j + 1 < bins ? floor(left * random_below(&state, 900) / 1000) : left;
                distance += 1 + random_below(&state, 5);
                lists[i][j] = (struct ft_forecast_bin){distance, touches};
                left -= touches;
            }
            forecasts[i] = (struct ft_weighted_forecast){
                .weight = 1 + random_below(&state, 3), .bins = lists[i], .bin_count = bins};
        }
        size_t bins = ft_tail_median(forecasts, count, TOUCHES, merged);
        for (int step = 0; step < 50; step++) {
            double distance = step + 0.5;
            double tails[4], weights[4];
            for (size_t i = 0; i < count; i++) {
                tails[i] = tail_at(lists[i], forecasts[i].bin_count, distance);
                weights[i] = forecasts[i].weight;
            }
            wrong +=
                !near(tail_at(merged, bins, distance), ft_weighted_median(tails, weights, count));
            checked++;
        }
    }
    tap_ok(wrong == 0, "the median of tails at %zu distances of random histograms", checked);
}

/* ---- methods that are wrong by known factors ---- */

static unsigned calls[3];

/* One bin: all warm touches at `factor` times n. */
static int fit_factor(const struct ft_fit_task *task, double factor, bool exact, unsigned *count,
                      struct ft_fit_member *member, struct ft_diag *diag)
{
    const struct ft_axis *axis = ft_fitter_axis(task->fitter);
    struct ft_function tail = ft_function_add(task->touches, task->cold, -1);
    struct ft_function distance = {.exact = exact};
    struct ft_bins bins = ft_bins_of(task, member);
    distance.coefficients[ft_basis_power(&axis->basis, 1)] = factor;
    tail.exact = exact;
    (*count)++;
    return ft_bins_append(&bins, (struct ft_functions){&tail, NULL},
                          (struct ft_functions){&distance, NULL}, diag);
}

static int fit_proven(const struct ft_fit_task *task, struct ft_fit_member *member,
                      struct ft_diag *diag)
{
    return fit_factor(task, 1, true, &calls[0], member, diag);
}
static int fit_right(const struct ft_fit_task *task, struct ft_fit_member *member,
                     struct ft_diag *diag)
{
    return fit_factor(task, 1, false, &calls[0], member, diag);
}
static int fit_over(const struct ft_fit_task *task, struct ft_fit_member *member,
                    struct ft_diag *diag)
{
    return fit_factor(task, 1.5, false, &calls[1], member, diag);
}
static int fit_under(const struct ft_fit_task *task, struct ft_fit_member *member,
                     struct ft_diag *diag)
{
    return fit_factor(task, 0.7, false, &calls[2], member, diag);
}
static int fit_far_over(const struct ft_fit_task *task, struct ft_fit_member *member,
                        struct ft_diag *diag)
{
    return fit_factor(task, 1.6, false, &calls[0], member, diag);
}

static const struct ft_fit_method proven = {.name = "proven", .fit = fit_proven};
static const struct ft_fit_method right = {.name = "right", .fit = fit_right};
static const struct ft_fit_method over = {.name = "over", .fit = fit_over};
static const struct ft_fit_method under = {.name = "under", .fit = fit_under};
static const struct ft_fit_method far_over = {.name = "far over", .fit = fit_far_over};

/* Groups of 1,000 touches at a distance of n, and 100 cold ones. */
static const double sizes[SIZES] = {100, 150, 200, 300, 400};

static struct ft_profile profile_at(double n)
{
    struct ft_profile profile = {.cold = (uint64_t)COLD, .touches = TOUCHES, .atom_count = 1};
    profile.distances_blocks = calloc(1 + 2 + 2, sizeof(double)); /* one block, as fini frees it */
    if (!profile.distances_blocks)
        abort();
    profile.ranks = profile.distances_blocks + 1;
    profile.sums = profile.ranks + 2;
    profile.distances_blocks[0] = n;
    profile.ranks[1] = TOUCHES;
    profile.sums[1] = TOUCHES * n;
    return profile;
}

/* What one bin at `factor` times n, all else being right, is off by: over the logarithm of caches
 * up to the farther distance, misses are wrong between the two. */
static double expected_error(double n, double factor)
{
    double low = log1p(fmin(factor, 1) * n), high = log1p(fmax(factor, 1) * n);
    return TOUCHES / (TOUCHES + COLD + 2) * (high - low) / high;
}

static double expected_weight(double factor)
{
    return pow(expected_error(sizes[SIZES - 1], factor), -2);
}

/* The model's histogram and the one without the largest size. */
struct fitted {
    struct ft_model_histogram all, held_out;
};

static int fit_methods(const struct ft_fit_method *const *methods, const struct ft_fit_task *task,
                       const struct ft_fit_task *others, struct fitted *fitted)
{
    struct ft_ensemble_histograms histograms = {
        {&fitted->all, &fitted->held_out}, others ? 2 : 1, 1U << (SIZES - 1)};
    return ft_ensemble_fit(methods, task, others, &histograms, NULL);
}

static void free_fitted(struct fitted *fitted)
{
    ft_model_histogram_fini(&fitted->all);
    ft_model_histogram_fini(&fitted->held_out);
    calls[0] = calls[1] = calls[2] = 0;
}

static void test_errors(const struct ft_profile *profile)
{
    struct ft_forecast_bin exact = {400, TOUCHES}, farther = {600, TOUCHES};
    tap_ok(ft_histogram_error(&exact, 1, profile) == 0, "the right histogram has no error");
    tap_ok(near(ft_histogram_error(&farther, 1, profile), expected_error(400, 1.5)),
           "distances that are half too far: %.4f", expected_error(400, 1.5));
    tap_ok(near(ft_histogram_error(NULL, 0, profile), TOUCHES / (TOUCHES + COLD + 2)),
           "without any bin all warm misses are missing, in every cache");
}

static void test_members(const struct ft_fit_task *task, const struct ft_fit_task *others)
{
    struct fitted fitted = {{.members = NULL}, {.members = NULL}};
    const struct ft_fit_method *first_exact[] = {&proven, &over, &under, NULL};
    int status = fit_methods(first_exact, task, others, &fitted);
    tap_ok(status == FT_OK && fitted.all.member_count == 1 && calls[0] == 2 && calls[1] == 0,
           "where the first method is exact no other method is asked");
    free_fitted(&fitted);

    const struct ft_fit_method *first_right[] = {&right, &over, &under, NULL};
    status = fit_methods(first_right, task, others, &fitted);
    tap_ok(status == FT_OK && fitted.all.member_count == 1 && calls[0] == 2 && calls[1] == 0,
           "nor where it predicts the size left out");
    free_fitted(&fitted);

    const struct ft_fit_method *last_right[] = {&over, &under, &right, NULL};
    status = fit_methods(last_right, task, others, &fitted);
    tap_ok(status == FT_OK && fitted.all.member_count == 1 && fitted.all.members[0].method == 2,
           "a method that outweighs the others is left alone");
    free_fitted(&fitted);

    status = fit_methods(last_right, task, NULL, &fitted);
    tap_ok(status == FT_OK && fitted.all.member_count == 1 && fitted.all.members[0].method == 0 &&
               calls[0] == 0 && calls[1] == 1,
           "where no size can be left out the first one stands alone");
    free_fitted(&fitted);

    const struct ft_fit_method *all_wrong[] = {&over, &under, &far_over, NULL};
    status = fit_methods(all_wrong, task, others, &fitted);
    tap_ok(status == FT_OK && fitted.all.member_count == 3 && fitted.all.members[0].method == 1 &&
               fitted.all.members[1].method == 0 && fitted.all.members[2].method == 2,
           "three that are wrong, the heaviest first");
    bool weights = fitted.all.member_count == 3 && fitted.held_out.member_count == 3;
    static const double factors[] = {0.7, 1.5, 1.6};
    for (size_t i = 0; weights && i < 3; i++)
        weights = near(fitted.all.members[i].weight,
                       expected_weight(factors[i]) / expected_weight(0.7)) &&
                  fitted.held_out.members[i].weight == fitted.all.members[i].weight &&
                  fitted.held_out.members[i].method == fitted.all.members[i].method;
    tap_ok(weights, "weights are 1 / error^2, relative to the heaviest, without a size too");
    free_fitted(&fitted);
}

/* What three that are wrong say together, of a model with one group. */
static void test_forecast(const struct ft_fit_task *task, const struct ft_fit_task *others)
{
    const struct ft_fit_method *all_wrong[] = {&over, &under, &far_over, NULL};
    struct fitted fitted = {{.touches = *task->touches, .cold = *task->cold}, {.members = NULL}};
    struct ft_function footprint = *task->footprint;
    struct ft_model_group group = {.histograms = &fitted.all};
    struct ft_model model = {
        .size_count = 1, .groups = &group, .group_count = 1, .distinct_blocks = &footprint};
    struct ft_forecast forecast = {0};
    struct ft_point at = ft_axis_point(ft_fitter_axis(task->fitter), 1000);
    int status = fit_methods(all_wrong, task, others, &fitted);
    if (status == FT_OK)
        status = ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL);
    tap_ok(status == FT_OK && forecast.bin_count == 1 &&
               near(forecast.bins[0].distance_blocks, 1500) &&
               near(forecast.bins[0].touches, TOUCHES) && forecast.cold == COLD,
           "the median of distances of 700, 1500 and 1600 is 1500");
    ft_forecast_fini(&forecast);
    free_fitted(&fitted);
}

int main(void)
{
    struct ft_axis axis;
    struct ft_axis fewer;
    struct ft_fitter *fitter, *held_out;
    struct ft_profile profiles[SIZES];
    gsl_set_error_handler_off();
    if (ft_axis_init(&axis, NULL, sizes, SIZES, NULL) < 0 ||
        ft_axis_leave_out(&axis, 1U << (SIZES - 1), &fewer, NULL) < 0 ||
        ft_fitter_create(&fewer, &held_out, NULL) < 0 || ft_fitter_create(&axis, &fitter, NULL) < 0)
        return 1;
    for (int k = 0; k < SIZES; k++)
        profiles[k] = profile_at(sizes[k]);
    struct ft_function touches = {.coefficients = {TOUCHES + COLD}},
                       cold = {.coefficients = {COLD}};
    struct ft_function footprint = {.coefficients = {1e9}};
    struct ft_fit_task task = {fitter, profiles, &touches, &cold, &footprint, NULL, NULL};
    struct ft_fit_task others = task;
    others.fitter = held_out;
    test_weighted_median();
    test_tail_median();
    test_random_medians();
    test_errors(&profiles[SIZES - 1]);
    test_members(&task, &others);
    test_forecast(&task, &others);
    for (int k = 0; k < SIZES; k++)
        ft_profile_fini(&profiles[k]);
    ft_fitter_destroy(fitter);
    ft_fitter_destroy(held_out);
    ft_axis_fini(&fewer);
    ft_axis_fini(&axis);
    return tap_plan_done();
}
