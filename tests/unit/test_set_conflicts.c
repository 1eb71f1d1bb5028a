/*
 * What strides do in the sets of a cache of 64 sets of 12 ways: a walk down rows of 4 KiB falls
 * into one set, a walk through memory fills all evenly, and arrays may begin on the same set.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "predict/metrics/misses.h"
#include "predict/metrics/set_conflicts.h"
#include "tests/support/tap.h"

#define SIZES   3
#define STREAMS 14

static double training[SIZES] = {64, 96, 128};
static const struct ft_level cache = {.blocks = 768, .ways = 12, .block_bytes = 64};

struct nest {
    struct ft_scope scopes[3];
    struct ft_model_group group;
    struct ft_model_scope_counts counts[2];
    int64_t strides[FT_STRIDE_LOOPS_MAX * SIZES];
    uint32_t streams[STREAMS];
    uint64_t bases[STREAMS * SIZES];
    struct ft_model model;
};

static struct ft_function constant(double value)
{
    return (struct ft_function){.coefficients = {value}};
}

/* A loop of that many iterations around one of that many. */
static void init(struct nest *nest, int64_t outer, double outer_trips, int64_t inner,
                 double inner_trips, size_t streams)
{
    *nest = (struct nest){.group = {.scope = 2}};
    nest->scopes[1].kind = nest->scopes[2].kind = FT_SCOPE_LOOP;
    nest->scopes[2].parent = 1;
    nest->counts[0] = (struct ft_model_scope_counts){
        .scope = 1, .entries = constant(1), .iterations = constant(outer_trips)};
    nest->counts[1] =
        (struct ft_model_scope_counts){.scope = 2,
                                       .entries = constant(outer_trips),
                                       .iterations = constant(outer_trips * inner_trips)};
    nest->model = (struct ft_model){.basis = ft_basis_default("N"),
                                    .training = training,
                                    .training_count = SIZES,
                                    .groups = &nest->group,
                                    .group_count = 1,
                                    .counts = nest->counts,
                                    .counts_count = 2,
                                    .scopes = {.scopes = nest->scopes, .scope_count = 3},
                                    .strides = {.bytes = nest->strides,
                                                .group_count = 1,
                                                .training_count = SIZES,
                                                .streams = nest->streams,
                                                .bases = nest->bases,
                                                .stream_count = streams}};
    for (size_t e = 0; e < SIZES; e++) {
        nest->strides[e] = inner;
        nest->strides[SIZES + e] = outer;
        nest->strides[2 * SIZES + e] = nest->strides[3 * SIZES + e] = FT_STRIDE_NONE;
    }
}

/* Of 1000 touches at that distance. */
static double misses_in(const struct ft_level *level, const struct nest *nest, double distance,
                        enum ft_set_spread spread)
{
    struct ft_forecast_bin bin = {distance, 1000};
    const struct ft_forecast forecast = {.touches = 1000, .bins = &bin, .bin_count = 1};
    const double n = 256;
    const struct ft_point at = ft_point_at(&nest->model.basis, &n);
    double misses = NAN;
    struct ft_diag diag;
    const struct ft_set_chances random = ft_random_chances(level->blocks, level->ways, 1);
    int status = ft_set_conflict_misses(&nest->model, 0, level, &at, &forecast, &random, spread,
                                        &misses, &diag);
    return status == FT_OK ? misses : NAN;
}

static double misses_of(const struct nest *nest, double distance, enum ft_set_spread spread)
{
    return misses_in(&cache, nest, distance, spread);
}

static void test_columns(void)
{
    struct nest nest;
    init(&nest, 8, 32, 4096, 32, 0);
    tap_ok(misses_of(&nest, 31, FT_SET_SPREAD_EXPECTED) < 1e-3, "31 blocks fit by chance");
    tap_ok(misses_of(&nest, 31, FT_SET_SPREAD_WORST) == 1000, "rows of 4 KiB share a set");
    init(&nest, 8, 32, 4096, 8, 0);
    tap_ok(misses_of(&nest, 7, FT_SET_SPREAD_WORST) == 0, "eight of them fit in its ways");
    init(&nest, 8, 32, 4096 + 64, 32, 0);
    tap_ok(misses_of(&nest, 31, FT_SET_SPREAD_WORST) < 1e-3, "rows padded by a line do not");
}

/* b[k][j] in tiles of 32 x 32 of rows of 512 doubles: 4 lines each of 32 rows, 4 sets. */
static void test_tiles(void)
{
    struct nest nest;
    init(&nest, 4096, 32, 8, 32, 0);
    tap_ok(misses_of(&nest, 135, FT_SET_SPREAD_EXPECTED) < 1, "a tile of 128 lines fits by chance");
    tap_ok(misses_of(&nest, 135, FT_SET_SPREAD_WORST) == 1000, "its 32 rows share 4 sets");
    tap_ok(misses_of(&nest, 4, FT_SET_SPREAD_WORST) == 0, "a row is nearer than that");
}

static void test_streams(void)
{
    struct nest nest;
    init(&nest, 0, 10, 8, 10000, STREAMS);
    for (size_t i = 0; i < STREAMS; i++)
        for (size_t e = 0; e < SIZES; e++)
            nest.bases[i * SIZES + e] = (i + 1) * (e + 1) * 65536;
    tap_ok(misses_of(&nest, STREAMS - 1, FT_SET_SPREAD_WORST) == 1000,
           "fourteen arrays begin on the same set");
    for (size_t i = 0; i < STREAMS; i++)
        for (size_t e = 0; e < SIZES; e++)
            nest.bases[i * SIZES + e] += 64 * i;
    tap_ok(misses_of(&nest, STREAMS - 1, FT_SET_SPREAD_WORST) < 1e-3,
           "a line apart each has its own");
}

/* Fourteen arrays that begin anywhere: with pages of a way as many, or as few, as there are. */
static void test_scattered_streams(void)
{
    static const struct ft_level narrow = {.blocks = 1024, .ways = 2, .block_bytes = 64};
    static const struct ft_level large = {.blocks = 196608, .ways = 12, .block_bytes = 64};
    struct nest nest;
    init(&nest, 0, 10, 8, 10000, STREAMS);
    for (size_t i = 0; i < STREAMS; i++)
        for (size_t e = 0; e < SIZES; e++)
            nest.bases[i * SIZES + e] = 4096 * ((i * i * 7919 + e * e * e * 104729 * i) % 65536);
    tap_ok(misses_of(&nest, STREAMS - 1, FT_SET_SPREAD_WORST) == 1000,
           "scattered arrays begin on the same set where a way is a page");
    tap_ok(misses_in(&narrow, &nest, STREAMS - 1, FT_SET_SPREAD_WORST) == 1000,
           "and where two of them may well begin in the same of its eight pages");
    tap_ok(misses_in(&large, &nest, STREAMS - 1, FT_SET_SPREAD_WORST) < 1e-3,
           "but not a dozen of them in the same of 256");
}

static void test_spread(void)
{
    struct nest nest;
    init(&nest, 0, 10, 8, 5600, 0); /* 700 lines of 768 */
    const double random = misses_of(&nest, 699, FT_SET_SPREAD_EXPECTED);
    tap_ok(random > 100 && misses_of(&nest, 699, FT_SET_SPREAD_BEST) == 0,
           "700 consecutive lines fill no set, by chance %.0f touches of 1000 miss", random);
    tap_ok(fabs(misses_of(&nest, 799, FT_SET_SPREAD_BEST) - 520) < 1e-9,
           "800 lines overfill 32 sets of 64, with 13 lines each");
    nest.model.strides.bytes = NULL;
    tap_ok(misses_of(&nest, 699, FT_SET_SPREAD_WORST) == random,
           "without strides of its own sets are random");
    tap_ok(misses_of(&nest, 699, FT_SET_SPREAD_BEST) == 0,
           "but what others touch in between may spread evenly");
}

int main(void)
{
    gsl_set_error_handler_off();
    test_columns();
    test_tiles();
    test_streams();
    test_scattered_streams();
    test_spread();
    return tap_plan_done();
}
