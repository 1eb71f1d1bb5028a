/*
 * A group that walks over columns of 8 N bytes, trained where several share a page of 4 KiB: beyond
 * that every access enters a page, and the law learned below says more than there are accesses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/evaluate/stride_regimes.h"
#include "tests/support/tap.h"

#define SIZES      5
#define PAGE       4096.0
#define REFERENCES 3U

static double training[SIZES] = {96, 128, 160, 192, 224};

struct nest {
    struct ft_scope scopes[2];
    struct ft_model_group group;
    int64_t strides[FT_STRIDE_LOOPS_MAX * SIZES];
    struct ft_model model;
};

/* Two loops: the inner one over columns, the outer one over elements. */
static void init(struct nest *nest)
{
    *nest = (struct nest){.group = {.scope = 1, .reference_count = REFERENCES}};
    nest->scopes[1].kind = FT_SCOPE_LOOP;
    nest->model = (struct ft_model){
        .basis = ft_basis_default("N"),
        .training = training,
        .training_count = SIZES,
        .groups = &nest->group,
        .group_count = 1,
        .scopes = {.scopes = nest->scopes, .scope_count = 2},
        .strides = {.bytes = nest->strides, .group_count = 1, .training_count = SIZES}};
    for (size_t e = 0; e < SIZES; e++) {
        nest->strides[e] = (int64_t)(8 * training[e]);
        nest->strides[SIZES + e] = 8;
        nest->strides[2 * SIZES + e] = nest->strides[3 * SIZES + e] = FT_STRIDE_NONE;
    }
}

static struct ft_stride_regime regime_at(const struct nest *nest, double n)
{
    const struct ft_point at = ft_point_at(&nest->model.basis, &n);
    return ft_stride_regime_of(&nest->model, 0, PAGE, &at);
}

static void test_laws(void)
{
    struct nest nest;
    init(&nest);
    const double n = 800;
    const struct ft_point at = ft_point_at(&nest.model.basis, &n);
    struct ft_stride_law law = ft_stride_law_of(&nest.model, 0, 0, &at);
    tap_ok(law.is_known && law.bytes == 6400 && law.smallest == 768 && law.largest == 1792,
           "a stride of 8 N is 6400 at 800");
    law = ft_stride_law_of(&nest.model, 0, 1, &at);
    tap_ok(law.is_known && law.bytes == 8, "a constant one stays");
    law = ft_stride_law_of(&nest.model, 0, 2, &at);
    tap_ok(!law.is_loop && !law.is_known, "there are two loops");
    nest.strides[2]++;
    law = ft_stride_law_of(&nest.model, 0, 0, &at);
    tap_ok(law.is_loop && !law.is_known, "a padded stride follows nothing");
}

static void test_regimes(void)
{
    struct nest nest;
    init(&nest);
    tap_ok(!regime_at(&nest, 448).differs, "columns share pages up to 512");
    const struct ft_stride_regime regime = regime_at(&nest, 800);
    tap_ok(regime.differs && fabs(regime.share - PAGE / 6400) < 1e-12, "none does at 800");
    tap_ok(regime.window == REFERENCES && regime.carried_on == 8 / PAGE,
           "the next loop leaves a page after 512 steps");
    tap_ok(regime.tail_share == regime.share && regime_at(&nest, 448).tail_share == 1,
           "the law learned goes on beyond all touches");
    for (size_t e = 0; e < SIZES; e++)
        nest.strides[e] *= 2;
    training[SIZES - 1] = 256;
    nest.strides[SIZES - 1] = (int64_t)PAGE;
    tap_ok(regime_at(&nest, 800).differs, "a stride of a page is on both sides");
    training[SIZES - 1] = 224;
    init(&nest);
    training[SIZES - 1] = 600;
    nest.strides[SIZES - 1] = 4800;
    tap_ok(!regime_at(&nest, 800).differs, "training sizes on both sides: nothing is corrected");
    training[SIZES - 1] = 224;
    init(&nest);
    for (size_t e = 0; e < SIZES; e++)
        nest.strides[e] = 8;
    memcpy(nest.strides + SIZES, (int64_t[]){768, 1024, 1280, 1536, 1792}, SIZES * 8);
    tap_ok(!regime_at(&nest, 800).differs, "rows that are swept enter pages by their elements");
}

static void test_correction(void)
{
    struct ft_forecast_bin bins[7] = {{1, 500}, {3000, 250}};
    struct ft_forecast forecast = {.touches = 750, .bins = bins, .bin_count = 2, .bin_capacity = 7};
    struct ft_stride_regime regime = {
        .differs = true, .share = 0.5, .tail_share = 1, .window = 3, .carried_on = 0.25};
    ft_stride_regime_correct(&regime, &forecast);
    tap_ok(forecast.bin_count == 3 && bins[0].touches == 625, "half stays within iterations");
    tap_ok(bins[1].touches == 93.75 && bins[1].distance_blocks == 1500,
           "distances are walks, and half as long");
    tap_ok(bins[2].touches == 31.25 && bins[2].distance_blocks == 3000,
           "what goes on outwards keeps its distance");
    bins[0] = (struct ft_forecast_bin){3000, 250};
    forecast.touches = 250;
    forecast.bin_count = 1;
    regime.carried_on = NAN;
    ft_stride_regime_correct(&regime, &forecast);
    tap_ok(forecast.bin_count == 2 && bins[0].touches == 125 && bins[0].distance_blocks == 1.5 &&
               bins[1].touches == 125 && bins[1].distance_blocks == 3000,
           "distances stay where the next loop is unknown");
    bins[0] = (struct ft_forecast_bin){3000, 250};
    forecast.bin_count = 1;
    regime.tail_share = 0.5;
    ft_stride_regime_correct(&regime, &forecast);
    tap_ok(forecast.bin_count == 1 && bins[0].touches == 250,
           "tails that were cut before are not cut again");
}

int main(void)
{
    test_laws();
    test_regimes();
    test_correction();
    return tap_plan_done();
}
