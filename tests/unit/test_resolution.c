/*
 * Whether a level can be learned: one group whose pages are worked out by hand in the comments, in
 * a TLB of 64 entries of 32 KB, learned from N = 10, 20 and 40.
 */
#include <stdlib.h>

#include "predict/resolution.h"
#include "tests/support/tap.h"

static struct ft_function line(double base, double slope)
{
    struct ft_basis basis = ft_basis_default("N");
    struct ft_function function = {.coefficients = {base}};
    function.coefficients[ft_basis_power(&basis, 1)] = slope;
    return function;
}

/* 1000 touches at `distance` pages, in a program of so many pages, and of so many of 4 KB, with 100
 * misses at n. */
static struct ft_resolution resolution_beside(struct ft_function footprint,
                                              struct ft_function small_footprint,
                                              struct ft_function distance, double n)
{
    static uint64_t block_bytes[] = {32768, 4096};
    struct ft_function footprints[] = {footprint, small_footprint};
    static double training[] = {10, 20, 40};
    static const struct ft_level level = {
        .kind = FT_LEVEL_TLB, .block_bytes = 32768, .blocks = 64, .ways = 64};
    struct ft_model_bin bins[] = {{line(5000, 0), line(1, 0)}, {line(1000, 0), distance}};
    struct ft_model_member member = {.weight = 1, .bins = ft_member_bins_of(bins, 2)};
    struct ft_model_histogram histogram = {line(5000, 0), line(0, 0), &member, 1};
    struct ft_model_group group = {.histograms = &histogram};
    struct ft_model model = {.basis = ft_basis_default("N"),
                             .training = training,
                             .training_count = 3,
                             .block_bytes = block_bytes,
                             .size_count = 2,
                             .distinct_blocks = footprints,
                             .groups = &group,
                             .group_count = 1};
    struct ft_point at = ft_point_at(&model.basis, &n);
    struct ft_resolution resolution = {0};
    ft_resolution_add_group(&resolution, &model, 0, 0, &level, &at);
    ft_resolution_judge(&resolution, &model, 0, &level, &at, 100);
    free(member.bins);
    return resolution;
}

/* In blocks of 4 KB the level could not hold it. */
static struct ft_resolution resolution_at(struct ft_function footprint, struct ft_function distance,
                                          double n)
{
    return resolution_beside(footprint, line(1000, 8), distance, n);
}

int main(void)
{
    /* 10 pages of libraries and one for every 2: 30 pages at 40, 20 of them of the data. At 100
     * these are 60. They are 32 from N = 64 on, which the search meets at 40 x 1.02^24 = 64.3. */
    struct ft_resolution few = resolution_at(line(10, 0.5), line(2, 0), 100);
    tap_ok(!few.resolved && few.training_blocks == 30 && few.growing_blocks == 20,
           "20 pages that grow are too few");
    tap_ok(few.better_n == 65, "%.0f would do", few.better_n);
    tap_ok(resolution_at(line(10, 0.5), line(2, 0), 40).resolved, "inside the range all is known");
    tap_ok(resolution_at(line(10, 0.5), line(2, 0), 42).resolved,
           "31 pages of 64, and so maybe 62: all hits, whatever grows");
    tap_ok(!resolution_at(line(10, 0.5), line(2, 0), 46).resolved, "33 of 64, and so maybe 66");
    tap_ok(resolution_at(line(10, 0.8), line(2, 0), 100).resolved, "32 pages that grow are enough");
    tap_ok(resolution_at(line(500, 0.05), line(2, 0), 100).resolved,
           "5 pages that grow do not matter beside 500 that do not");

    /* Distances of a tenth of N: 4 at 40, 10 at 100, 40 at 400, 128 at 1280. */
    struct ft_resolution near = resolution_at(line(0, 1), line(0, 0.1), 400);
    tap_ok(!near.resolved && near.near_touches == 1000, "%.0f touches from 4 pages to 40 of 64",
           near.near_touches);
    tap_ok(near.better_n == 80, "which are 8 from N = %.0f on", near.better_n);
    tap_ok(resolution_at(line(0, 1), line(0, 0.1), 100).resolved, "10 of 64 is far below");
    tap_ok(resolution_at(line(0, 1), line(0, 0.1), 1280).resolved, "128 of 64 is far above");
    tap_ok(resolution_at(line(0, 1), line(4, 0), 400).resolved, "4 that stay 4 are known");
    tap_ok(resolution_at(line(0, 1), line(0, 0.2), 200).resolved, "and so is what grew from 8");

    /* 64 pages of 4 KB at N = 50, 66 at 52; 52 of them at 40, and 40 of these grow. */
    tap_ok(resolution_beside(line(10, 0.5), line(14, 1), line(2, 0), 50).resolved,
           "35 pages, or 64 of an eighth of them, and so at most 64");
    tap_ok(!resolution_beside(line(10, 0.5), line(14, 1), line(2, 0), 51).resolved,
           "65 of an eighth say nothing");
    tap_ok(!resolution_beside(line(10, 0.5), line(24, 0.75), line(2, 0), 50).resolved,
           "nor do those of which 30 grew");
    tap_ok(resolution_beside(line(0, 1), line(4, 1), line(0, 0.15), 50).resolved &&
               !resolution_beside(line(0, 1), line(4, 1), line(0, 0.15), 400).resolved,
           "where all fits, distances do not matter, either");
    return tap_plan_done();
}
