/*
 * Hit rates of passes over arrays against what LRU is known to do with them: of the blocks of a set
 * that a pass touches in order, all are still there in the next pass, or none. Those of Apex-MAP
 * against the reference cache. And bins.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/simulate/hit-rates/hit_rate_bins.h"
#include "engine/simulate/hit-rates/point_hit_rates.h"
#include "machines/probe/apex_map.h"
#include "tests/support/reference_cache.h"
#include "tests/support/tap.h"

/* Hits of a pass after the first, each level by itself. */
static double hit_rate(const struct ft_level *level, uint64_t size, uint64_t stride)
{
    const uint64_t accesses = size / stride, sets = ft_level_sets(level);
    uint64_t *blocks = calloc(sets, sizeof *blocks), missed = 0, last = UINT64_MAX;
    for (uint64_t i = 0; i < accesses; i++) {
        const uint64_t block = i * stride / level->block_bytes;
        if (block != last)
            blocks[block % sets]++;
        last = block;
    }
    for (uint64_t s = 0; s < sets; s++)
        missed += blocks[s] > level->ways ? blocks[s] : 0;
    free(blocks);
    return 1 - (double)missed / (double)accesses;
}

static void check_machine(const char *text)
{
    struct ft_machine machine = {0};
    struct ft_bandwidth_points points = {0};
    struct ft_diag diag = {0};
    size_t wrong = 0;
    if (!tap_ok(ft_machine_parse(text, &machine, &diag) == FT_OK, "%s %s", text, diag.message))
        return;
    for (uint64_t stride = 8; stride <= 512; stride *= 2)
        for (uint64_t size = 1024; size <= 300000; size = size * 13 / 10) {
            const struct ft_bandwidth_point point = {
                .size_bytes = size, .stride_bytes = stride, .gb_per_s = 1, .runs = 1};
            (void)ft_bandwidth_points_add(&points, &point, &diag);
        }
    const int status = ft_point_hit_rates_find(&machine, &points, NULL, &diag);
    for (size_t i = 0; status == FT_OK && i < points.count; i++) {
        const struct ft_bandwidth_point *point = &points.items[i];
        double expected = 0;
        for (size_t k = 0; k < machine.cache_count; k++) {
            expected = fmax(expected,
                            hit_rate(&machine.levels[k], point->size_bytes, point->stride_bytes));
            wrong += fabs(expected - point->hit_rates[k]) > 1e-12;
        }
        wrong += point->hit_rate_count != machine.cache_count;
    }
    tap_ok(status == FT_OK && wrong == 0, "%zu points as by hand, %zu not %s", points.count, wrong,
           diag.message);
    ft_bandwidth_points_fini(&points);
    ft_machine_fini(&machine);
}

/* Hits of the second time that all runs are gone through. */
static double apex_hit_rate(const struct ft_level *level, const struct ft_bandwidth_point *point)
{
    struct reference_cache cache;
    const uint64_t count = ft_apex_count(point->length);
    uint32_t *starts = calloc(count, sizeof *starts);
    uint64_t missed = 0;
    ft_apex_starts(point->size_bytes, point->alpha, point->length, starts);
    reference_cache_init(&cache, level->block_bytes, level->ways, ft_level_sets(level));
    for (uint64_t pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t k = 0; k < point->length; k++)
                missed += reference_cache_touch(&cache, 8 * (starts[i] + k) / level->block_bytes) &&
                          pass == 1;
    reference_cache_fini(&cache);
    free(starts);
    return 1 - (double)missed / (double)(count * point->length);
}

static void check_apex(void)
{
    static const struct {
        uint32_t length;
        double alpha;
    } drawn[] = {{1, 1}, {4, 0.25}, {16, 0.05}, {64, 0.5}};
    struct ft_machine machine = {0};
    struct ft_bandwidth_points points = {0};
    bool right = true;
    (void)ft_machine_parse("L1:4K:64:4@4,L2:32K:64:8@14,memory@200", &machine, NULL);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        const struct ft_bandwidth_point point = {.size_bytes = 1 << 18,
                                                 .length = drawn[i].length,
                                                 .alpha = drawn[i].alpha,
                                                 .gb_per_s = 1,
                                                 .runs = 1};
        (void)ft_bandwidth_points_add(&points, &point, NULL);
    }
    right = ft_point_hit_rates_find(&machine, &points, NULL, NULL) == FT_OK && points.count == 4;
    for (size_t i = 0; i < points.count; i++)
        for (size_t k = 0; k < 2; k++)
            right = right && fabs(points.items[i].hit_rates[k] -
                                  apex_hit_rate(&machine.levels[k], &points.items[i])) < 1e-12;
    tap_ok(right, "runs of Apex-MAP as in the reference cache: hit rates of L1 from %.3f to %.3f",
           points.items[3].hit_rates[0], points.items[0].hit_rates[0]);
    ft_bandwidth_points_fini(&points);
    ft_machine_fini(&machine);
}

static void check_bins(void)
{
    static const double rates[] = {1, 0.9901, 0.99, 0.98, 0.961, 0.95, 0.85, 0.7, 0.5, 0.36, 0};
    static const size_t bins[] = {0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 7};
    bool right = true;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        right = right && ft_hit_rate_bin(rates[i]) == bins[i];
    tap_ok(right, "the published bins");
    struct ft_hit_rate_coverage coverage = {0};
    ft_hit_rate_coverage_add(&coverage, (const double[]){0.5, 0.97}, 2, 10);
    ft_hit_rate_coverage_add(&coverage, (const double[]){0.6, 0.965}, 2, 20);
    tap_ok(coverage.counts[6][2] == 2 && coverage.weights[6][2] == 30, "places and weights");
}

int main(void)
{
    check_machine("L1:8K:64:2@4,L2:64K:64:16@14,memory@200");
    check_machine("L1:6K:32:3@4,L2:32K:128:full@14,L3:128K:128:8@40,TLB:256K:4K:full@30,"
                  "memory@200");
    check_apex();
    check_bins();
    return tap_plan_done();
}
