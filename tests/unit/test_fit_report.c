/*
 * What models know: errors and overlap of histograms with known answers, and advice from replicas
 * whose deviations are known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/commands/advice.h"
#include "fit/commands/fit_report.h"
#include "fit/commands/tail_curve.h"
#include "tests/support/tap.h"

#define SIZES 5U

static bool is_near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected));
}

static void test_curves(void)
{
    /* 10 cold; 30 touches at distance 0, 40 at 3, 20 at 100. */
    struct ft_bin bins[] = {{.bin = 0, .count = 30, .distance_sum = 0},
                            {.bin = 3, .count = 40, .distance_sum = 120},
                            {.bin = 50, .count = 20, .distance_sum = 2000}};
    const struct ft_histogram histogram = {
        .touches = 100, .cold = 10, .bins = bins, .bin_count = 3};
    struct ft_tail_curve measured = {0}, predicted = {0};
    ft_tail_curve_add_measured(&measured, &histogram);
    tap_ok(ft_tail_curve_misses(&measured, 0) == 100 && ft_tail_curve_misses(&measured, 1) == 70 &&
               ft_tail_curve_misses(&measured, 2) == 70 &&
               ft_tail_curve_misses(&measured, 3) == 30 && /* 4 blocks */
               ft_tail_curve_misses(&measured, 7) == 30 && ft_tail_curve_misses(&measured, 8) == 10,
           "misses of 0, 1, 2, 4, 64 and 128 blocks");
    tap_ok(ft_tail_curve_error(&measured, &measured) == 0 &&
               ft_tail_curve_accuracy(&measured, &measured) == 1,
           "a histogram overlaps itself");

    /* The 20 far ones at distance 200 in place of 100: 128 blocks are too few for them, too. */
    struct ft_forecast_bin forecast_bins[] = {{0, 30}, {3, 40}, {200, 20}};
    const struct ft_forecast forecast = {
        .touches = 100, .cold = 10, .bins = forecast_bins, .bin_count = 3};
    ft_tail_curve_add_forecast(&predicted, &forecast);
    double all = 100 + 2 * 70 + 5 * 30 + 34 * 10;
    tap_ok(is_near(ft_tail_curve_error(&predicted, &measured), 20 / all),
           "one of %u caches off by 20 misses: %g", FT_TAIL_STEPS,
           ft_tail_curve_error(&predicted, &measured));
    tap_ok(is_near(ft_tail_curve_accuracy(&predicted, &measured), 0.8),
           "a fifth of the touches elsewhere: %g", ft_tail_curve_accuracy(&predicted, &measured));
    ft_tail_curve_add(&predicted, &predicted);
    tap_ok(is_near(ft_tail_curve_accuracy(&predicted, &measured), 0.8),
           "twice as many touches: the same shares");
    const struct ft_tail_curve nothing = {0};
    tap_ok(ft_tail_curve_accuracy(&nothing, &measured) == 0 &&
               ft_tail_curve_accuracy(&nothing, &nothing) == 1 &&
               is_near(ft_tail_curve_error(&nothing, &measured), 1),
           "nothing overlaps nothing alone");
}

/* ---- models ---- */

static struct ft_function power(const struct ft_basis *basis, double exponent, double factor)
{
    struct ft_function function = {0};
    function.coefficients[ft_basis_power(basis, exponent)] = factor;
    return function;
}

/* Every group touches N^2 blocks that are always cold, and `warm` N^2 at distances beyond all
 * thresholds but the last few. */
static void fill(struct ft_model *model, size_t group, double warm)
{
    struct ft_model_group *into = &model->groups[group];
    into->accesses = power(&model->basis, 2, 1 + warm);
    struct ft_model_histogram *histogram = &into->histograms[0];
    histogram->touches = power(&model->basis, 2, 1 + warm);
    histogram->cold = power(&model->basis, 2, 1);
    histogram->members = calloc(1, sizeof *histogram->members);
    histogram->member_count = 1;
    const struct ft_model_bin bin = {power(&model->basis, 2, warm), power(&model->basis, 0, 1)};
    histogram->members[0] =
        (struct ft_model_member){.weight = 1, .bins = ft_member_bins_of(&bin, 1)};
}

/* Two groups; those of the replicas differ from the second one by the `factors`. */
static void make_model(struct ft_model *model, const double factors[SIZES])
{
    *model = (struct ft_model){
        .name = strdup("made up"),
        .parameter = strdup("N"),
        .training = calloc(SIZES, sizeof *model->training),
        .training_count = SIZES,
        .block_bytes = calloc(1, sizeof *model->block_bytes),
        .size_count = 1,
        .distinct_blocks = calloc(1, sizeof *model->distinct_blocks),
        .groups = calloc(2, sizeof *model->groups),
        .group_count = 2,
    };
    model->scopes.scopes = calloc(1, sizeof *model->scopes.scopes);
    model->scopes.scopes[0].name = strdup("everything");
    model->scopes.scope_count = 1;
    model->basis = ft_basis_default(model->parameter);
    model->block_bytes[0] = 64;
    model->distinct_blocks[0] = power(&model->basis, 2, 2);
    for (size_t i = 0; i < SIZES; i++)
        model->training[i] = 40 + 16 * (double)i;
    for (size_t group = 0; group < 2; group++) {
        model->groups[group].histograms = calloc(1, sizeof *model->groups[group].histograms);
        fill(model, group, 1);
    }
    if (ft_model_add_replicas(model, SIZES, NULL) != FT_OK)
        abort();
    for (size_t i = 0; i < SIZES; i++) {
        model->replicas[i].left_out = (uint64_t)1 << i;
        model->replicas[i].distinct_blocks[0] = model->distinct_blocks[0];
        fill(&model->replicas[i], 0, 1);
        fill(&model->replicas[i], 1, factors[i]);
    }
}

static void test_advice(void)
{
    static const double factors[SIZES] = {1, 1, 1, 1, 2};
    struct ft_model model;
    struct ft_advice advice;
    make_model(&model, factors);
    tap_ok(ft_advise(&model, 312, &advice, NULL) == FT_OK, "advice");
    /* 2 thresholds, of 0 and 1 blocks, see the warm touches; 1 - 1/5 of the squares */
    double square = 312.0 * 312.0;
    tap_ok(advice.group_count == 1 && advice.groups[0].group == 1 && advice.groups[0].share == 1,
           "the one group whose replicas differ");
    tap_ok(is_near(advice.deviation, 2 * sqrt(0.8) * square) &&
               is_near(advice.misses, 2 * (FT_TAIL_STEPS + 2) * square),
           "its deviation is %g of all misses", advice.deviation / advice.misses);
    bool agree = true, helps = true;
    for (size_t i = 0; i < advice.size_count; i++) {
        agree &= fmod(312 - advice.sizes[i].n, 8) == 0 && advice.sizes[i].n < 312;
        /* The deviation is the same share at every size: any size would tell all of it but for
         * the noise, 2 % of twice the misses against sqrt(0.8) of them. */
        double told = 1 / (1 + 0.04 * 0.04 / 0.8);
        helps &= is_near(advice.sizes[i].left, sqrt(1 - told));
        helps &= is_near(advice.sizes[i].accesses, pow(advice.sizes[i].n / 104, 2));
    }
    tap_ok(advice.size_count >= 5 && agree, "%zu further sizes, like 312 modulo 8",
           advice.size_count);
    tap_ok(helps && advice.best == 0, "all tell the same: the smallest is best");
    ft_advice_fini(&advice);
    for (size_t i = 0; i < SIZES; i++)
        model.training[i] = (double)(16 << i);
    bool powers = ft_advise(&model, 2048, &advice, NULL) == FT_OK && advice.size_count == 3;
    for (size_t i = 0; i < advice.size_count && powers; i++)
        powers &= advice.sizes[i].n == (const double[]){8, 512, 1024}[i];
    tap_ok(powers, "powers of two after powers of two: %zu", advice.size_count);
    ft_advice_fini(&advice);
    ft_model_fini(&model);

    static const double same[SIZES] = {1, 1, 1, 1, 1};
    make_model(&model, same);
    tap_ok(ft_advise(&model, 312, &advice, NULL) == FT_OK && advice.group_count == 0 &&
               advice.deviation == 0 && advice.best == advice.size_count,
           "replicas that agree leave nothing to tell");
    ft_advice_fini(&advice);
    size_t replicas = model.replica_count;
    model.replica_count = 1;
    tap_ok(ft_advise(&model, 312, &advice, NULL) == FT_ERROR_USAGE, "one replica: refused");
    model.replica_count = replicas;
    ft_model_fini(&model);
}

/* Traces that measured what the model says: each group's N^2 cold touches and N^2 at distance 1. */
struct measured {
    struct ft_bin bins[SIZES];
    struct ft_histogram histograms[SIZES][2];
    struct ft_histograms entries[SIZES]; /* in another order than the model's sizes */
    char hashes[SIZES][2];
    uint32_t *group_of[SIZES], both[2];
    struct ft_match match;
};

static void measure(struct ft_model *model, struct measured *ret_measured)
{
    *ret_measured = (struct measured){.both = {0, 1}};
    ret_measured->match = (struct ft_match){.group_of = ret_measured->group_of, .group_count = 2};
    model->trace_hashes = calloc(SIZES, sizeof *model->trace_hashes);
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t square = (uint64_t)(model->training[i] * model->training[i]);
        snprintf(ret_measured->hashes[i], sizeof ret_measured->hashes[i], "%c", (char)('a' + i));
        model->trace_hashes[i] = strdup(ret_measured->hashes[i]);
        ret_measured->bins[i] = (struct ft_bin){.bin = 1, .count = square, .distance_sum = square};
        for (size_t group = 0; group < 2; group++)
            ret_measured->histograms[i][group] =
                (struct ft_histogram){.touches = 2 * square,
                                      .cold = square,
                                      .bins = &ret_measured->bins[i],
                                      .bin_count = 1};
        ret_measured->entries[SIZES - 1 - i] =
            (struct ft_histograms){.trace_hash = ret_measured->hashes[i],
                                   .reference_count = 2,
                                   .size_count = 1,
                                   .histograms = ret_measured->histograms[i]};
        ret_measured->group_of[i] = ret_measured->both;
    }
}

static void test_report(void)
{
    static const double factors[SIZES] = {1, 1.5, 1, 2, 3};
    struct ft_model model;
    struct measured measured;
    const struct ft_histograms *entries = measured.entries;
    const struct ft_match *match = &measured.match;
    make_model(&model, factors);
    measure(&model, &measured);
    model.groups[0].accesses_at_largest = 100;
    model.groups[1].accesses_at_largest = 300;

    struct ft_fit_report report;
    tap_ok(ft_fit_report_make(&model, match, entries, SIZES, &report, NULL) == FT_OK &&
               report.count == 3,
           "a report: the program and two groups");
    const struct ft_fit_row *program = &report.rows[0], *worse = &report.rows[1],
                            *known = &report.rows[2];
    tap_ok(program->group == FT_WHOLE_PROGRAM && worse->group == 1 && known->group == 0 &&
               program->share == 1 && worse->share == 0.75 && known->share == 0.25,
           "the group with most accesses comes first");
    bool exact = true;
    for (size_t i = 0; i < report.count; i++)
        exact &= report.rows[i].training.error == 0 && report.rows[i].training.accuracy == 1;
    tap_ok(exact && known->left_out.error == 0 && known->left_out.accuracy == 1 &&
               known->largest.error == 0,
           "what model and replicas meet has no error");
    /* A replica has (factor - 1) N^2 too many touches in the two caches that are too small for
     * them, and (by shares) a bin too full by what the other lacks. */
    double error = 0, accuracy = 0, misses = FT_TAIL_STEPS + 2;
    for (size_t i = 0; i < SIZES; i++) {
        error += 2 * (factors[i] - 1) / misses / SIZES;
        accuracy += (1 - fabs(0.5 - 1 / (1 + factors[i]))) / SIZES;
    }
    tap_ok(is_near(worse->left_out.error, error) && is_near(worse->left_out.accuracy, accuracy),
           "each size as forecast without it: %g, overlap %g", worse->left_out.error,
           worse->left_out.accuracy);
    tap_ok(is_near(worse->largest.error, 2 * 2 / misses) && is_near(worse->largest.accuracy, 0.75),
           "the largest as forecast without it: %g, overlap %g", worse->largest.error,
           worse->largest.accuracy);
    tap_ok(is_near(program->left_out.error, error / 2) &&
               is_near(program->largest.error, 2 / misses) &&
               is_near(program->largest.accuracy, 1 - (2.0 / 3 - 0.5)),
           "and of the program, from the sums: %g, %g", program->left_out.error,
           program->largest.error);
    ft_fit_report_fini(&report);

    model.replica_count--; /* that without the largest */
    tap_ok(ft_fit_report_make(&model, match, entries, SIZES, &report, NULL) == FT_OK &&
               isnan(report.rows[1].largest.error) && isfinite(report.rows[1].left_out.error),
           "what no replica tells is no number");
    ft_fit_report_fini(&report);
    model.replica_count++;
    tap_ok(ft_fit_report_make(&model, match, entries, SIZES - 1, &report, NULL) == FT_ERROR_USAGE,
           "a trace that is missing: refused");
    ft_model_fini(&model);
}

int main(void)
{
    test_curves();
    test_advice();
    test_report();
    return tap_plan_done();
}
