/*
 * Zhong's five patterns: histograms whose distances follow them, at five data sizes, and what the
 * method says of them far beyond.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/evaluate/evaluate.h"
#include "fit/methods/patterns.h"
#include "tests/support/tap.h"

#define SIZES   5
#define QUARTER 25000.0 /* touches of each of four distances */

static const double sizes[SIZES] = {4096, 6000, 9000, 13000, 20000};

/* Distances at a data size, rising: one that stays, and three that grow by different patterns. */
static void distances_at(double s, double ret_distances[4])
{
    ret_distances[0] = 5;
    ret_distances[1] = 10 + 2 * cbrt(s);
    ret_distances[2] = 100 + 3 * pow(s, 2.0 / 3);
    ret_distances[3] = 500 + s;
}

static struct ft_profile profile_of(const double distances[4])
{
    struct ft_profile profile = {.cold = 1000, .touches = 4 * QUARTER, .atom_count = 4};
    profile.distances_blocks = calloc(4 + 5 + 5, sizeof(double)); /* one block, as fini frees it */
    if (!profile.distances_blocks)
        abort();
    profile.ranks = profile.distances_blocks + 4;
    profile.sums = profile.ranks + 5;
    memcpy(profile.distances_blocks, distances, 4 * sizeof *distances);
    for (int i = 0; i < 4; i++) {
        profile.ranks[i + 1] = QUARTER * (i + 1);
        profile.sums[i + 1] = profile.sums[i] + QUARTER * profile.distances_blocks[i];
    }
    return profile;
}

static struct ft_profile profile_at(double s)
{
    double distances[4];
    distances_at(s, distances);
    return profile_of(distances);
}

/* What the paper says of two runs (section 2.1.2): the pattern p for which p(s2)/p(s1) is closest
 * to d2/d1, and a line in p through both distances. */
static double published(const double s[2], const double d[2], double at)
{
    static const double exponents[] = {0, 1.0 / 3, 1.0 / 2, 2.0 / 3, 1};
    double best = 0, nearest = INFINITY;
    for (int i = 0; i < 5; i++) {
        const double off = fabs(pow(s[1] / s[0], exponents[i]) - d[1] / d[0]);
        best = off < nearest ? exponents[i] : best;
        nearest = fmin(nearest, off);
    }
    if (best == 0)
        return (d[0] + d[1]) / 2;
    const double e = (d[1] - d[0]) / (pow(s[1], best) - pow(s[0], best));
    return d[0] + e * (pow(at, best) - pow(s[0], best));
}

/* Ratios of distances that are a pattern's, that lie between two, and below all. */
static void test_two_sizes(const struct ft_basis *basis)
{
    static const double smaller[][4] = {{5, 20, 300, 4000}, {5, 30, 200, 1000}, {9, 50, 70, 800}};
    static const double larger[][4] = {
        {5, 40, 300 * 2.83, 4 * 4000.0}, {8, 44, 200 * 3.3, 1000 * 6.1}, {8, 50, 70 * 1.52, 6400}};
    const double s[2] = {4096, 8 * 4096.0}, far = 40 * 4096.0;
    struct ft_axis axis;
    struct ft_fitter *fitter;
    if (ft_axis_init(&axis, basis, s, 2, NULL) < 0 || ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    const struct ft_function touches = {.coefficients = {4 * QUARTER + 1000}, .exact = true};
    const struct ft_function cold = {.coefficients = {1000}, .exact = true};
    const struct ft_function footprint = {.coefficients = {1e9}, .exact = true};
    const struct ft_point at = ft_axis_point(&axis, far);
    for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++) {
        struct ft_profile profiles[2] = {profile_of(smaller[i]), profile_of(larger[i])};
        struct ft_fit_task task = {fitter, profiles, &touches, &cold, &footprint, NULL, NULL};
        struct ft_fit_member member = {0};
        bool right = ft_patterns_method.fit(&task, &member, NULL) == FT_OK && member.bin_count == 4;
        for (size_t j = 0; j < 4 && right; j++) {
            const double d[2] = {smaller[i][j], larger[i][j]};
            right =
                fabs(ft_function_at(&member.bins[j].distance_blocks, &at) / published(s, d, far) -
                     1) < 1e-9;
        }
        tap_ok(right, "two sizes, case %zu: each distance by the pattern of the closest ratio", i);
        free(member.bins);
        ft_profile_fini(&profiles[0]);
        ft_profile_fini(&profiles[1]);
    }
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
}

/* The same histograms in a model over N, with which the data grow like N^2 + 1,000: patterns are of
 * the data size all the same. */
static void test_over_parameter(const struct ft_fit_task *over_data)
{
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_fit_member member = {0};
    double n[SIZES], far = 200000, expected[4];
    for (int k = 0; k < SIZES; k++)
        n[k] = sqrt(sizes[k] - 1000);
    if (ft_axis_init(&axis, NULL, n, SIZES, NULL) < 0 || ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    struct ft_fit_task task = *over_data;
    task.fitter = fitter;
    task.data = ft_fitter_axis(over_data->fitter);
    int status = ft_patterns_method.fit(&task, &member, NULL);
    tap_ok(status == FT_OK && member.over_data && member.bin_count == 4,
           "over N: the same four laws, of the data size");
    struct ft_point data = ft_axis_point(task.data, far), at = ft_axis_point(&axis, sqrt(199000));
    struct ft_forecast_bin bins[4];
    distances_at(far, expected);
    const struct ft_model_member packed = {.bins = ft_member_bins_of(member.bins, member.bin_count),
                                           .over_data = member.over_data};
    bool right = member.bin_count == 4 &&
                 ft_member_forecast(&packed, &at, &data, 4 * QUARTER, 1e9, bins) == 4;
    for (size_t i = 0; right && i < 4; i++)
        right = fabs(bins[i].distance_blocks / expected[i] - 1) < 1e-6 &&
                fabs(bins[i].touches - QUARTER) < 1e-6;
    tap_ok(right, "and the same forecast");
    free(member.bins);
    free(packed.bins);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
}

static struct ft_function constant(double value)
{
    return (struct ft_function){.coefficients = {value}, .exact = true};
}

int main(void)
{
    gsl_set_error_handler_off();
    struct ft_basis basis;
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_profile profiles[SIZES];
    if (ft_basis_read(&basis, "s", FT_FOOTPRINT_TERMS, NULL) < 0 ||
        ft_axis_init(&axis, &basis, sizes, SIZES, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        return 1;
    for (int k = 0; k < SIZES; k++)
        profiles[k] = profile_at(sizes[k]);
    struct ft_function touches = constant(4 * QUARTER + 1000), footprint = constant(1e9);
    struct ft_function cold = constant(1000);
    struct ft_fit_member member = {0};
    struct ft_fit_task task = {fitter, profiles, &touches, &cold, &footprint, NULL, NULL};
    int status = ft_patterns_method.fit(&task, &member, NULL);
    tap_ok(status == FT_OK && member.bin_count == 4, "four laws in %zu bins", member.bin_count);
    double far = 200000, expected[4];
    struct ft_point at = ft_axis_point(&axis, far);
    distances_at(far, expected);
    for (size_t i = 0; i < member.bin_count && i < 4; i++) {
        double distance = ft_function_at(&member.bins[i].distance_blocks, &at);
        double tail = ft_function_at(&member.bins[i].tail, &at);
        tap_ok(fabs(distance / expected[i] - 1) < 1e-6 &&
                   fabs(tail - QUARTER * (double)(4 - i)) < 1e-6,
               "%.0f touches at %.6g and beyond, ten times the largest size", tail, distance);
    }
    free(member.bins);
    test_over_parameter(&task);
    test_two_sizes(&basis);
    /* Distances that fall while the data grow: constant, not below 0. */
    for (int k = 0; k < SIZES; k++)
        for (int i = 0; i < 4; i++) {
            profiles[k].distances_blocks[i] = 100 - 10 * k;
            profiles[k].sums[i + 1] = profiles[k].distances_blocks[i] * profiles[k].ranks[i + 1];
        }
    member = (struct ft_fit_member){0};
    status = ft_patterns_method.fit(&task, &member, NULL);
    tap_ok(status == FT_OK && member.bin_count == 1 &&
               fabs(ft_function_at(&member.bins[0].distance_blocks, &at) - 80) < 1e-9,
           "distances that fall are taken for their mean");
    free(member.bins);
    /* Nothing but cold touches. */
    for (int k = 0; k < SIZES; k++)
        profiles[k].touches = 0;
    member = (struct ft_fit_member){0};
    touches = cold;
    status = ft_patterns_method.fit(&task, &member, NULL);
    tap_ok(status == FT_OK && member.bin_count == 0, "no bins without warm touches");
    for (int k = 0; k < SIZES; k++)
        ft_profile_fini(&profiles[k]);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return tap_plan_done();
}
