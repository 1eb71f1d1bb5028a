/* Chances to miss in sets, from distances within sets that are made by a rule. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "predict/metrics/miss_probability.h"
#include "predict/metrics/set_chances.h"
#include "tests/support/tap.h"

#define SIZES 2

static const struct ft_level cache = {.block_bytes = 64, .blocks = 4096, .ways = 4};

struct sampled {
    struct ft_model model;
    double training[SIZES];
    uint64_t block_bytes[1], blocks[SIZES];
    struct ft_function footprint[1];
    struct ft_set_distances distances[SIZES];
    struct ft_model_set_distances of_model[SIZES];
};

static void add(struct ft_set_distances *distances, size_t *limit, uint32_t set_bits, uint32_t step,
                uint32_t in_set, double touches)
{
    if (!FT_RESERVE(distances->rows, *limit, distances->count + 1))
        exit(99);
    distances->rows[distances->count++] =
        (struct ft_set_distance){0, set_bits, step, in_set, touches};
}

/* 100 touches at each power of two below `end`, of which `crowding` times as many blocks as spread
 * evenly are in the set. */
static void fill(struct ft_set_distances *distances, uint32_t end, double crowding)
{
    size_t limit = 0;
    for (uint32_t distance = 1; distance < end; distance *= 2)
        for (uint32_t r = 0; r <= FT_SET_BITS_MAX; r++) {
            const double in_set = fmin(crowding * distance / (1U << r), FT_SET_DISTANCE_MAX);
            if (r == 0)
                add(distances, &limit, 0, ft_set_distance_step(distance), 0, 100);
            else if (in_set >= 1)
                add(distances, &limit, r, ft_set_distance_step(distance), (uint32_t)in_set, 100);
        }
    ft_set_distances_sum(distances);
}

/* Footprints of 1024 and 2048 blocks. */
static void init(struct sampled *sampled, double crowding)
{
    *sampled = (struct sampled){.training = {1, 2}, .block_bytes = {64}, .blocks = {1024, 2048}};
    sampled->model = (struct ft_model){.basis = ft_basis_default("N"),
                                       .training = sampled->training,
                                       .training_count = SIZES,
                                       .block_bytes = sampled->block_bytes,
                                       .size_count = 1,
                                       .distinct_blocks = sampled->footprint,
                                       .set_distances = sampled->of_model,
                                       .set_distance_count = SIZES};
    for (size_t e = 0; e < SIZES; e++) {
        fill(&sampled->distances[e], (uint32_t)sampled->blocks[e], crowding);
        sampled->of_model[e] =
            (struct ft_model_set_distances){e, &sampled->blocks[e], &sampled->distances[e]};
    }
}

static void fini(struct sampled *sampled)
{
    for (size_t e = 0; e < SIZES; e++)
        free(sampled->distances[e].rows);
}

/* Of a touch that far away, where the footprint is that many blocks. */
static double chance_of(struct sampled *sampled, double footprint, double distance,
                        enum ft_set_spread spread)
{
    const double n = 4;
    const struct ft_point at = ft_point_at(&sampled->model.basis, &n);
    struct ft_set_chances chances;
    struct ft_diag diag;
    double chance = NAN;
    sampled->footprint[0] = (struct ft_function){.coefficients = {footprint}};
    if (ft_set_chances_init(&chances, &sampled->model, &cache, 1, &at, &diag) == FT_OK)
        chance = ft_set_chance(&chances, distance, spread);
    ft_set_chances_fini(&chances);
    return chance;
}

static void test_even(void)
{
    struct sampled sampled;
    init(&sampled, 1);
    tap_ok(chance_of(&sampled, 8192, 2048, FT_SET_SPREAD_EXPECTED) == 0,
           "2 blocks a set hit, as they did in sets as crowded");
    tap_ok(chance_of(&sampled, 8192, 4096, FT_SET_SPREAD_EXPECTED) == 1, "4 blocks a set miss");
    tap_ok(chance_of(&sampled, 8192, 3, FT_SET_SPREAD_WORST) == 0,
           "what is nearer than the ways hits");
    tap_ok(ft_miss_probability(1024, 4, 2048) > 0.1, "by chance some of them would miss");
    fini(&sampled);
}

static void test_crowded(void)
{
    struct sampled sampled;
    init(&sampled, 64);
    tap_ok(chance_of(&sampled, 2048, 64, FT_SET_SPREAD_EXPECTED) == 1,
           "near touches miss where they did in as many sets");
    tap_ok(chance_of(&sampled, 2048, 32, FT_SET_SPREAD_EXPECTED) == 0, "nearer ones do not");
    fini(&sampled);
}

static void test_sizes(void)
{
    struct sampled sampled;
    init(&sampled, 1);
    free(sampled.distances[0].rows);
    sampled.distances[0] = (struct ft_set_distances){0};
    fill(&sampled.distances[0], 1024, 64);
    tap_ok(chance_of(&sampled, 8192, 128, FT_SET_SPREAD_BEST) == 0 &&
               chance_of(&sampled, 8192, 128, FT_SET_SPREAD_WORST) == 1,
           "training sizes differ");
    tap_ok(fabs(chance_of(&sampled, 8192, 128, FT_SET_SPREAD_EXPECTED) - 1.0 / 3) < 1e-9,
           "the larger one counts twice as much");
    sampled.model.left_out = 1;
    tap_ok(chance_of(&sampled, 8192, 128, FT_SET_SPREAD_WORST) == 0,
           "a replica does not know what it left out");
    sampled.model.left_out = 3;
    tap_ok(chance_of(&sampled, 8192, 2048, FT_SET_SPREAD_EXPECTED) ==
               ft_miss_probability(1024, 4, 2048),
           "without any, blocks fall into sets at random");
    fini(&sampled);
}

static void test_order(void)
{
    struct sampled sampled;
    init(&sampled, 1);
    const struct ft_model_set_distances first = sampled.of_model[0];
    sampled.of_model[0] = sampled.of_model[1];
    sampled.of_model[1] = first;
    const double n = 4;
    const struct ft_point at = ft_point_at(&sampled.model.basis, &n);
    struct ft_set_chances chances;
    struct ft_diag diag;
    sampled.footprint[0] = (struct ft_function){.coefficients = {8192}};
    tap_ok(ft_set_chances_init(&chances, &sampled.model, &cache, 1, &at, &diag) == FT_OK &&
               chances.sample_count == 2 && chances.samples[0].blocks == 1024,
           "training sizes stand by their footprints");
    ft_set_chances_fini(&chances);
    fini(&sampled);
}

/* Histograms of one trace: the same sets, as far away. 64 ways are as many as are told apart. */
static void test_trace(void)
{
    static const struct ft_level many = {.block_bytes = 64, .blocks = 8192, .ways = 64};
    struct sampled sampled;
    init(&sampled, 8);
    const struct ft_histograms entry = {.block_bytes = sampled.block_bytes,
                                        .size_count = 1,
                                        .distinct_blocks = &sampled.blocks[1],
                                        .set_distances = &sampled.distances[1]};
    struct ft_set_chances chances;
    struct ft_diag diag;
    tap_ok(ft_set_chances_of_trace(&chances, &entry, &many, &diag) == FT_OK &&
               ft_set_chance(&chances, 1024, FT_SET_SPREAD_EXPECTED) == 1 &&
               ft_set_chance(&chances, 512, FT_SET_SPREAD_EXPECTED) == 0,
           "64 blocks in a set miss in 64 ways, 32 do not");
    ft_set_chances_fini(&chances);
    tap_ok(ft_set_chances_of_trace(&chances,
                                   &(struct ft_histograms){.block_bytes = sampled.block_bytes},
                                   &many, &diag) == FT_OK &&
               ft_set_chance(&chances, 1024, FT_SET_SPREAD_EXPECTED) ==
                   ft_miss_probability(128, 64, 1024),
           "without samples, blocks fall into sets at random");
    ft_set_chances_fini(&chances);
    fini(&sampled);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_even();
    test_crowded();
    test_sizes();
    test_order();
    test_trace();
    return tap_plan_done();
}
