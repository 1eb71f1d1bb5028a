/*
 * Distances as far as replicas let them be, of a group of two bins: of 60 touches at distance 10,
 * on which all agree, and of 40 far ones, of which they do not.
 */
#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/evaluate.h"
#include "predict/intervals/distance_spread.h"
#include "tests/support/tap.h"

#define REPLICAS 4
#define NEAR     10.0
#define FAR      1000.0

/* A model of a group alone. */
struct part {
    struct ft_model_bin bins[2];
    struct ft_model_member member;
    struct ft_model_histogram histogram;
    struct ft_model_group group;
    struct ft_function footprint;
};

static struct ft_function constant(double value)
{
    return (struct ft_function){.coefficients = {value}};
}

static void make(struct ft_model *model, struct part *part, uint64_t *block_bytes, double near,
                 double far, double footprint)
{
    part->bins[0] = (struct ft_model_bin){constant(100), constant(near)};
    part->bins[1] = (struct ft_model_bin){constant(40), constant(far)};
    part->member = (struct ft_model_member){.weight = 1, .bins = ft_member_bins_of(part->bins, 2)};
    part->histogram = (struct ft_model_histogram){
        .touches = constant(107), .cold = constant(7), .members = &part->member, .member_count = 1};
    part->group = (struct ft_model_group){.histograms = &part->histogram};
    part->footprint = constant(footprint);
    *model = (struct ft_model){.basis = ft_basis_default("N"),
                               .groups = &part->group,
                               .group_count = 1,
                               .block_bytes = block_bytes,
                               .size_count = 1,
                               .distinct_blocks = &part->footprint};
}

static void check(const struct ft_model *model, const struct ft_point *at, double errors,
                  double near, double far, const char *what)
{
    struct ft_distance_spread spread;
    struct ft_forecast forecast = {0};
    struct ft_diag diag;
    int status = ft_distance_spread(model, at, errors, &spread, &diag);
    if (status == FT_OK)
        status = ft_forecast_evaluate(&spread.model, 0, 0, at, &forecast, &diag);
    tap_ok(status == FT_OK && forecast.bin_count == 2 && forecast.cold == 7 &&
               fabs(forecast.touches - 107) < 1e-9 && fabs(forecast.bins[0].touches - 60) < 1e-9 &&
               fabs(forecast.bins[1].touches - 40) < 1e-9,
           "%s: touches stay", what);
    tap_ok(forecast.bin_count == 2 && fabs(forecast.bins[0].distance_blocks - near) < 1e-6 * near &&
               fabs(forecast.bins[1].distance_blocks - far) < 1e-6 * far,
           "%s: %g and %g", what, forecast.bins[0].distance_blocks,
           forecast.bins[1].distance_blocks);
    ft_forecast_fini(&forecast);
    ft_distance_spread_fini(&spread);
}

/* So much shorter that the far ones would come to lie before the near ones. */
static void check_order(const struct ft_model *model, const struct ft_point *at, double error)
{
    struct ft_distance_spread spread;
    struct ft_forecast forecast = {0};
    struct ft_diag diag;
    int status = ft_distance_spread(model, at, -40, &spread, &diag);
    if (status == FT_OK)
        status = ft_forecast_evaluate(&spread.model, 0, 0, at, &forecast, &diag);
    double together = FAR * exp(-40 * error);
    tap_ok(status == FT_OK && together < NEAR && forecast.bin_count == 1 &&
               fabs(forecast.bins[0].touches - 100) < 1e-9 &&
               fabs(forecast.bins[0].distance_blocks - together) < 1e-6 * together,
           "the far ones take the near ones along");
    ft_forecast_fini(&forecast);
    ft_distance_spread_fini(&spread);
}

int main(void)
{
    struct ft_model model, replicas[REPLICAS];
    struct part part, parts[REPLICAS];
    uint64_t block_bytes = 64;
    const double size = 100, far[REPLICAS] = {900, 1000, 1100, 1300};
    double sum = 0, square = 0;
    make(&model, &part, &block_bytes, NEAR, FAR, 5000);
    for (int i = 0; i < REPLICAS; i++) {
        make(&replicas[i], &parts[i], &block_bytes, NEAR, far[i], 5000);
        sum += log1p(far[i]);
    }
    for (int i = 0; i < REPLICAS; i++)
        square += pow(log1p(far[i]) - sum / REPLICAS, 2);
    const double error = sqrt(square * (REPLICAS - 1) / REPLICAS);
    const struct ft_point at = ft_point_at(&model.basis, &size);
    model.replicas = replicas;
    model.replica_count = REPLICAS;
    check(&model, &at, 1, NEAR, FAR * exp(error), "a standard error longer");
    check(&model, &at, -2, NEAR, FAR * exp(-2 * error), "two shorter");
    check(&model, &at, 0, NEAR, FAR, "none");
    part.footprint = constant(1050);
    check(&model, &at, 1, NEAR, 1050, "no longer than the footprint");
    part.footprint = constant(5000);
    check_order(&model, &at, error);
    free(part.member.bins);
    for (int i = 0; i < REPLICAS; i++)
        free(parts[i].member.bins);
    return tap_plan_done();
}
