/*
 * Recursive splitting of a histogram without gaps: most touches are near, a twentieth lies evenly
 * over two decades of distance beyond. What misses in large caches is a small share of that. And
 * the rules of both papers on four distances, of which two are nearly the same.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit/methods/split_bins.h"
#include "fit/methods/split_counts.h"
#include "tests/support/tap.h"

#define SIZES 5
#define ATOMS 201         /* the near one, and the others */
#define EACH  (1.0 / 200) /* of the far touches in each of the others */

static const double sizes[SIZES] = {100, 140, 180, 220, 260};

static double near_touches(double n)
{
    return 9500 * n;
}

static double far_touches(double n)
{
    return 500 * n;
}

/* Of the far touches, those at least so far: they lie between 10 n and 1000 n. */
static double far_beyond(double n, double distance_blocks)
{
    return far_touches(n) * fmin(fmax(log(1000 * n / distance_blocks) / log(100), 0), 1);
}

static struct ft_profile profile_at(double n)
{
    struct ft_profile profile = {.touches = near_touches(n) + far_touches(n), .atom_count = ATOMS};
    profile.distances_blocks = calloc(3 * ATOMS + 2, sizeof(double)); /* one block */
    if (!profile.distances_blocks)
        abort();
    profile.ranks = profile.distances_blocks + ATOMS;
    profile.sums = profile.ranks + ATOMS + 1;
    for (int i = 0; i < ATOMS; i++) {
        double touches = i == 0 ? near_touches(n) : EACH * far_touches(n);
        double distance = i == 0 ? n : 10 * n * pow(100, (i - 0.5) * EACH);
        profile.distances_blocks[i] = distance;
        profile.ranks[i + 1] = profile.ranks[i] + touches;
        profile.sums[i + 1] = profile.sums[i] + touches * distance;
    }
    return profile;
}

static double misses_at(const struct ft_fit_member *member, const struct ft_point *at,
                        double capacity_blocks)
{
    for (size_t i = 0; i < member->bin_count; i++)
        if (ft_function_at(&member->bins[i].distance_blocks, at) >= capacity_blocks)
            return ft_function_at(&member->bins[i].tail, at);
    return 0;
}

/* Whether what a method says of caches at a size far beyond is right. */
static void test_misses(const struct ft_axis *axis, const struct ft_fit_method *method,
                        const struct ft_fit_member *member)
{
    const double n = 1000;
    struct ft_point at = ft_axis_point(axis, n);
    double share = 1;
    for (int i = 0; i < 5; i++) {
        share /= 2;
        double capacity = 1000 * n * pow(100, -share);
        double misses = misses_at(member, &at, capacity), expected = far_beyond(n, capacity);
        tap_ok(fabs(misses / expected - 1) < 0.06,
               "%s: %.2f %% of all touches are beyond %.3g blocks: %.0f for %.0f", method->name,
               5 * share, capacity, misses, expected);
    }
}

/* 400 n touches at 0.4 n, 300 n at 9.9 n, 300 n at 10.1 n and 500 n at 19.6 n: the middle of the
 * whole range, 10 n, is between the second and the third. */
#define CLUSTERS 4
static const double cluster_touches[CLUSTERS] = {400, 300, 300, 500};
static const double cluster_distances[CLUSTERS] = {0.4, 9.9, 10.1, 19.6};

static struct ft_profile clusters_at(double n)
{
    struct ft_profile profile = {.touches = 1500 * n, .atom_count = CLUSTERS};
    profile.distances_blocks = calloc(3 * CLUSTERS + 2, sizeof(double)); /* one block */
    if (!profile.distances_blocks)
        abort();
    profile.ranks = profile.distances_blocks + CLUSTERS;
    profile.sums = profile.ranks + CLUSTERS + 1;
    for (int i = 0; i < CLUSTERS; i++) {
        double touches = cluster_touches[i] * n, distance = cluster_distances[i] * n;
        profile.distances_blocks[i] = distance;
        profile.ranks[i + 1] = profile.ranks[i] + touches;
        profile.sums[i + 1] = profile.sums[i] + touches * distance;
    }
    return profile;
}

static void test_bin(const struct ft_fit_task *task, const struct ft_fit_member *member, size_t bin,
                     double tail, double distance)
{
    struct ft_point at = ft_axis_point(ft_fitter_axis(task->fitter), 1000);
    double found_tail = 0, found_distance = 0;
    if (bin < member->bin_count) {
        found_tail = ft_function_at(&member->bins[bin].tail, &at);
        found_distance = ft_function_at(&member->bins[bin].distance_blocks, &at);
    }
    tap_ok(fabs(found_tail / (1000 * tail) - 1) < 1e-6 &&
               fabs(found_distance / (1000 * distance) - 1) < 1e-6,
           "bin %zu at n = 1000: %.6g touches at %.6g and beyond", bin, found_tail, found_distance);
}

/* By the rule of 2005 the halves that 10 n makes stay apart; by that of 2004 neighbours with
 * similar distances are one bin, of all touches between them. */
static void test_joined(const struct ft_fit_task *task)
{
    struct ft_profile profiles[SIZES];
    struct ft_fit_member split = {0}, joined = {0};
    struct ft_fit_task clusters = *task;
    for (int k = 0; k < SIZES; k++)
        profiles[k] = clusters_at(sizes[k]);
    clusters.profiles = profiles;
    int status = ft_split_bins_method.fit(&clusters, &split, NULL);
    tap_ok(status == FT_OK && split.bin_count == 4, "2005: %zu bins", split.bin_count);
    test_bin(&clusters, &split, 1, 1100, 9.9);
    test_bin(&clusters, &split, 2, 800, 10.1);
    status = ft_split_counts_method.fit(&clusters, &joined, NULL);
    tap_ok(status == FT_OK && joined.bin_count == 3, "2004: %zu bins", joined.bin_count);
    test_bin(&clusters, &joined, 0, 1500, 0.4);
    test_bin(&clusters, &joined, 1, 1100, 10);
    test_bin(&clusters, &joined, 2, 500, 19.6);
    free(split.bins);
    free(joined.bins);
    for (int k = 0; k < SIZES; k++)
        ft_profile_fini(&profiles[k]);
}

int main(void)
{
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_profile profiles[SIZES];
    double touches[SIZES], footprint[SIZES];
    gsl_set_error_handler_off();
    if (ft_axis_init(&axis, NULL, sizes, SIZES, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        return 1;
    for (int k = 0; k < SIZES; k++) {
        profiles[k] = profile_at(sizes[k]);
        touches[k] = profiles[k].touches;
        footprint[k] = 2000 * sizes[k];
    }
    struct ft_expectation nothing = ft_expect_nothing(&axis);
    struct ft_function all, blocks, cold = {.exact = true};
    ft_fit_function(fitter, touches, 0, &nothing, &all);
    ft_fit_function(fitter, footprint, 0, &nothing, &blocks);
    struct ft_fit_task task = {fitter, profiles, &all, &cold, &blocks, NULL, NULL};
    struct ft_fit_member member = {0};
    int status = ft_split_bins_method.fit(&task, &member, NULL);
    tap_ok(status == FT_OK, "split into %zu bins", member.bin_count);
    test_misses(&axis, &ft_split_bins_method, &member);
    free(member.bins);
    member = (struct ft_fit_member){0};
    status = ft_split_counts_method.fit(&task, &member, NULL);
    tap_ok(status == FT_OK, "by the rule of 2004 into %zu bins", member.bin_count);
    test_misses(&axis, &ft_split_counts_method, &member);
    test_joined(&task);
    free(member.bins);
    for (int k = 0; k < SIZES; k++)
        ft_profile_fini(&profiles[k]);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return tap_plan_done();
}
