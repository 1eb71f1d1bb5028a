/*
 * Footprints at several block sizes, and the cold touches that make them: data whose blocks can be
 * counted by hand.
 */
#include "fit/footprints.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/evaluate.h"
#include "tests/support/tap.h"

#define SIZES 5U

static const double n[SIZES] = {40, 56, 72, 88, 104};
static const uint64_t block_bytes[2] = {4096, 2 << 20};

struct fit {
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_footprint footprints[2];
};

static bool begin(struct fit *fit)
{
    *fit = (struct fit){0};
    return tap_ok(ft_axis_init(&fit->axis, NULL, n, SIZES, NULL) == FT_OK &&
                      ft_fitter_create(&fit->axis, &fit->fitter, NULL) == FT_OK,
                  "a fitter");
}

static void end(struct fit *fit)
{
    ft_fitter_destroy(fit->fitter);
    ft_axis_fini(&fit->axis);
}

static void fit_blocks(struct fit *fit, double blocks[2][SIZES])
{
    for (size_t size = 0; size < 2; size++)
        ft_footprint_fit(fit->fitter, blocks[0], block_bytes, size, fit->footprints);
}

static double value_at(const struct fit *fit, const struct ft_function *function, double size)
{
    struct ft_point at = ft_axis_point(&fit->axis, size);
    return ft_function_at(function, &at);
}

/* An array of n^2 doubles behind 50 pages of other things in 3 large ones: n^2 / 512 + 50 pages. */
static void test_dense(struct fit *fit)
{
    double blocks[2][SIZES];
    for (size_t k = 0; k < SIZES; k++) {
        blocks[0][k] = 50 + ceil(n[k] * n[k] / 512);
        blocks[1][k] = 3;
    }
    fit_blocks(fit, blocks);
    const struct ft_footprint *large = &fit->footprints[1];
    double expected = 3 + (1024. * 1024 - 64. * 64) / 512 / 512;
    double value = value_at(fit, &large->blocks, 1024);
    tap_ok(large->follows == 0 && fabs(value - expected) < 0.2,
           "one large page at all sizes, and yet %.2f at N = 1024 (%.2f)", value, expected);
}

/* Ten arrays of n^2 doubles, four of which begin pages of their own at the largest size: 180 large
 * ones, which a cubic law would meet better. */
static void test_regions(struct fit *fit)
{
    double blocks[2][SIZES];
    for (size_t k = 0; k < SIZES; k++) {
        blocks[0][k] = 50 + 10 * n[k] * n[k];
        blocks[1][k] = 3 + ceil(10 * n[k] * n[k] / 512) + (k + 1 == SIZES ? 4 : 0);
    }
    fit_blocks(fit, blocks);
    const struct ft_footprint *large = &fit->footprints[1];
    double expected = 3 + 10. * 1024 * 1024 / 512;
    double value = value_at(fit, &large->blocks, 1024);
    tap_ok(large->follows == 0 && fabs(value - expected) < 4,
           "a few pages more of one size do not change the law: %.1f at N = 1024 (%.1f)", value,
           expected);
}

/* Each row of n lies on a large page of its own: what it takes of small ones tells nothing. */
static void test_sparse(struct fit *fit)
{
    double blocks[2][SIZES];
    for (size_t k = 0; k < SIZES; k++) {
        blocks[0][k] = 50 + n[k] / 4;
        blocks[1][k] = 3 + n[k] / 4;
    }
    fit_blocks(fit, blocks);
    const struct ft_footprint *large = &fit->footprints[1];
    tap_ok(large->follows == FT_OWN_LAW && value_at(fit, &large->blocks, 400) == 103,
           "large pages that small ones do not explain have a law of their own");
}

/* Two routines of which now this one, now that comes to a block first; a third has its own. Of the
 * two, `few` makes 2 n touches and no more. All three make n^2 / 4 blocks. */
static void test_settled(struct fit *fit)
{
    static const double swing[SIZES] = {0.2, -0.3, 0.35, -0.25, 0.1};
    double cold[2][SIZES], touches[SIZES], blocks[SIZES];
    struct ft_model_histogram histograms[3] = {0};
    struct ft_model_group groups[3] = {0};
    struct ft_model_bin bin = {.distance_blocks = {.coefficients = {5}}};
    struct ft_model_member member = {.weight = 1, .bins = ft_member_bins_of(&bin, 1)};
    struct ft_expectation nothing = ft_expect_nothing(&fit->axis);
    struct ft_function footprint;
    for (size_t k = 0; k < SIZES; k++) {
        double moves = round(swing[k] * n[k]);
        cold[0][k] = n[k] + moves;
        cold[1][k] = n[k] * n[k] / 8 - n[k] - moves;
        touches[k] = 2 * n[k];
        blocks[k] = n[k] * n[k] / 4;
    }
    ft_fit_function(fit->fitter, cold[0], 0, &nothing, &histograms[0].cold);
    ft_fit_function(fit->fitter, touches, 0, &nothing, &histograms[0].touches);
    ft_fit_function(fit->fitter, cold[1], 0, &nothing, &histograms[1].cold);
    histograms[1].touches = histograms[1].cold;
    ft_fit_function(fit->fitter, blocks, 0, &nothing, &footprint);
    histograms[2].cold = ft_function_add(&footprint, &footprint, -0.5);
    histograms[2].cold.exact = true;
    histograms[2].touches = histograms[2].cold;
    for (size_t i = 0; i < 3; i++) {
        histograms[i].members = &member;
        histograms[i].member_count = 1;
        groups[i].histograms = &histograms[i];
    }
    struct ft_model model = {.basis = ft_basis_default("N"),
                             .size_count = 1,
                             .distinct_blocks = &footprint,
                             .groups = groups,
                             .group_count = 3};
    fit->footprints[0] = (struct ft_footprint){.follows = FT_OWN_LAW};
    tap_ok(!histograms[0].cold.exact && !histograms[1].cold.exact, "cold touches that scatter");
    tap_ok(ft_footprints_resolve(&model, fit->footprints, &fit->axis, NULL) == FT_OK, "settled");
    struct ft_point at = ft_axis_point(&fit->axis, 312);
    double sum = 0, third = ft_function_at(&histograms[2].cold, &at);
    struct ft_forecast forecast = {0};
    for (size_t i = 0; i < 3; i++) {
        if (ft_forecast_evaluate(&model, i, 0, &at, &forecast, NULL) == FT_OK)
            sum += forecast.cold;
        tap_ok(forecast.cold <= forecast.touches, "cold touches are touches");
    }
    tap_ok(fabs(sum - 312. * 312 / 4) < 1e-6 * sum, "together they make the footprint: %.0f", sum);
    tap_ok(third == 312. * 312 / 8, "what is exact stays");
    ft_forecast_fini(&forecast);
    free(member.bins);
}

/* 10 touches at any size, all cold, in a footprint that has grown to 1000 blocks. */
static void test_contradiction(void)
{
    struct ft_function footprint = {.coefficients = {1000}};
    struct ft_model_histogram histogram = {.touches = {.coefficients = {10}, .exact = true},
                                           .cold = {.coefficients = {5000}}};
    struct ft_model_group group = {.histograms = &histogram};
    struct ft_model model = {.basis = ft_basis_default("N"),
                             .size_count = 1,
                             .distinct_blocks = &footprint,
                             .groups = &group,
                             .group_count = 1};
    struct ft_point at = ft_point_at(&model.basis, &n[4]);
    struct ft_forecast forecast = {0};
    tap_ok(ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL) == FT_OK &&
               forecast.cold == 10 && forecast.touches == 10,
           "touches that are exact hold the cold ones down");
    histogram.touches.exact = false;
    tap_ok(ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL) == FT_OK &&
               forecast.cold == 1000 && forecast.touches == 1000,
           "touches that are not give way, as far as the footprint goes");
    ft_forecast_fini(&forecast);
}

/* Some touches are cold, half of those of the program, in a footprint that comes to a number that
 * is not whole. */
static void test_whole(void)
{
    struct ft_function footprint = {.coefficients = {4.6}};
    struct ft_model_bin bin = {.distance_blocks = {.coefficients = {2}}};
    struct ft_model_member member = {.weight = 1, .bins = ft_member_bins_of(&bin, 1)};
    struct ft_model_histogram histogram = {.touches = {.coefficients = {1000}, .exact = true},
                                           .cold = {.coefficients = {2.3}},
                                           .members = &member,
                                           .member_count = 1};
    struct ft_model_group group = {.histograms = &histogram};
    struct ft_model model = {.basis = ft_basis_default("N"),
                             .size_count = 1,
                             .distinct_blocks = &footprint,
                             .groups = &group,
                             .group_count = 1};
    struct ft_point at = ft_point_at(&model.basis, &n[4]);
    struct ft_forecast forecast = {0};
    tap_ok(ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL) == FT_OK &&
               fabs(forecast.cold - 2.5) < 1e-12,
           "half of 4.6 pages, which are 5: %.2f", forecast.cold);
    footprint.coefficients[0] = 46.6;
    tap_ok(ft_forecast_evaluate(&model, 0, 0, &at, &forecast, NULL) == FT_OK &&
               fabs(forecast.cold - 2.3) < 1e-12,
           "46.6 pages are left alone: %.2f", forecast.cold);
    ft_forecast_fini(&forecast);
    free(member.bins);
}

int main(void)
{
    struct fit fit;
    gsl_set_error_handler_off();
    if (begin(&fit)) {
        test_dense(&fit);
        test_regions(&fit);
        test_sparse(&fit);
        test_settled(&fit);
        test_contradiction();
        test_whole();
        end(&fit);
    }
    return tap_plan_done();
}
