/*
 * Spatial scores against steps taken one by one, on random runs, in which references stand in a
 * body twice, and on long runs in which they do not; temporal ones of histograms with known scores.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/simulate/signature/locality.h"
#include "tests/support/random_runs.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"
#include "tests/support/twin_runs.h"

struct reference_steps {
    const struct ft_run_source *source;
    struct {
        bool seen;
        uint64_t address;
        uint64_t steps;
        double sum;
    } references[RANDOM_REFERENCES];
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct reference_steps *expected = context;
    double step = (double)(int64_t)(address - expected->references[reference].address);
    if (expected->references[reference].seen && step != 0) {
        double size = expected->source->references[reference].size_bytes;
        expected->references[reference].steps++;
        expected->references[reference].sum += fmin(1, size / fabs(step));
    }
    expected->references[reference].seen = true;
    expected->references[reference].address = address;
}

/* Frees the twins. */
static void check(struct twin_runs twins, const char *what)
{
    struct ft_run_source *source = twins.source;
    struct reference_steps expected = {.source = twins.again};
    struct ft_spatial *spatial;
    struct ft_run_batch batch;
    struct ft_diag diag = {0};
    uint64_t steps = 0;
    bool same = true;
    if (!tap_ok(ft_spatial_create(source->reference_count, &spatial, &diag) == FT_OK, "%s %s", what,
                diag.message))
        return;
    while (source->next(source, &batch, &diag) == FT_OK && batch.run_count > 0)
        ft_spatial_feed(spatial, source, &batch);
    visit_accesses(twins.again, visit, &expected);
    for (uint32_t j = 0; j < source->reference_count; j++) {
        const struct ft_spatial_score *score = &ft_spatial_scores(spatial)[j];
        same = same && score->steps == expected.references[j].steps &&
               fabs(score->sum - expected.references[j].sum) <= 1e-9 * (1 + score->sum);
        steps += score->steps;
    }
    tap_ok(same && steps > 100, "%s: %llu steps as one by one", what, (unsigned long long)steps);
    ft_spatial_destroy(spatial);
    twin_fini(&twins);
}

static void fill_long(struct synthetic_runs *runs)
{
    static const int64_t strides[] = {8, -24, 0, 4096, -8};
    synthetic_init(runs);
    uint32_t references[5];
    for (int j = 0; j < 5; j++)
        references[j] = synthetic_reference(runs, j == 4 ? 16 : 8);
    for (uint64_t r = 1; r <= 20; r++) {
        synthetic_run(runs, r);
        for (int j = 0; j < 5; j++)
            synthetic_entry(runs, references[j], 100000 * r + 1000 * (uint64_t)j, strides[j]);
    }
}

static void check_temporal(void)
{
    struct ft_bin bins[] = {
        {.bin = 0, .count = 3, .distance_sum = 0},                           /* 1 each */
        {.bin = ft_bin_of(7), .count = 2, .distance_sum = 14},               /* 1 - 3/24 each */
        {.bin = ft_bin_of(4095), .count = 1, .distance_sum = 4095},          /* 1/2 */
        {.bin = ft_bin_of(1 << 30), .count = 5, .distance_sum = 5ULL << 30}, /* 0 */
    };
    struct ft_histogram histogram = {.touches = 20, .cold = 9, .bins = bins, .bin_count = 4};
    tap_ok(fabs(ft_temporal_sum(&histogram) - (3 + 2 * 21.0 / 24 + 0.5)) < 1e-12,
           "distances 0, 7, 4095 and 2^30 score 1, 7/8, 1/2 and 0");
}

int main(void)
{
    check(twin_random(1), "random runs");
    check(twin_random(2), "random runs");
    check(twin_filled(fill_long), "runs of 1 to 20 iterations");
    check_temporal();
    return tap_plan_done();
}
