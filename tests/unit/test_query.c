/*
 * Questions to models whose answers are known: groups whose distances are c + e f(s), as in Zhong
 * et al. 2007, with critical sizes, largest miss ratio and threshold size by hand; and random
 * models, in which bisection must find what a scan over all sizes, or all capacities, finds.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/query/critical_sizes.h"
#include "predict/query/mini_inputs.h"
#include "predict/query/whole_histogram.h"
#include "tests/support/random.h"
#include "tests/support/routine_model.h"
#include "tests/support/tap.h"

/* ---- Zhong's groups ---- */

/* 1000 s accesses, s of them first touches; shares of the rest at distances that stay or grow. */
static void zhong_groups(struct routine_model *small, const double shares[ROUTINE_MODEL_GROUPS],
                         const double constants[ROUTINE_MODEL_GROUPS],
                         const double exponents[ROUTINE_MODEL_GROUPS],
                         const double factors[ROUTINE_MODEL_GROUPS])
{
    routine_model_init(small, "s", "s^(1/3),s^(1/2),s^(2/3),s", 1000, 20000000);
    const struct ft_basis *basis = &small->model.basis;
    small->footprint[0] = routine_model_term(basis, 1, 1000); /* holds no distance down */
    for (int i = 0; i < ROUTINE_MODEL_GROUPS; i++) {
        small->groups[i].accesses = small->histograms[i].touches =
            routine_model_term(basis, 1, 999 * shares[i] + (i == 0));
        small->histograms[i].cold = routine_model_term(basis, 1, i == 0);
        small->bins[i][0].tail = routine_model_term(basis, 1, 999 * shares[i]);
        small->bins[i][0].distance_blocks =
            factors[i] == 0
                ? routine_model_plus((struct ft_function){0}, constants[i])
                : routine_model_plus(routine_model_term(basis, exponents[i], factors[i]),
                                     constants[i]);
        routine_model_set_bins(small, (size_t)i, 1);
    }
}

static void check_zhong(void)
{
    /* In 2,048 blocks: 0.4 always hit, 0.1 never. 500 + s misses from 1548 on, 100 + 3 s^(2/3) from
     * (1948 / 3)^1.5 = 16546.2, 8 + 4 s^(1/2) from 510^2 = 260100, 10 + 2 s^(1/3) from
     * 1019^3 = 1058089859: the threshold. MaxMR = 0.1 + 0.05 + 0.1 + 0.15 + 0.2 = 0.6. */
    static const double shares[] = {0.4, 0.1, 0.05, 0.1, 0.15, 0.2};
    static const double constants[] = {5, 3000, 500, 100, 8, 10};
    static const double exponents[] = {0, 0, 1, 2.0 / 3, 0.5, 1.0 / 3};
    static const double factors[] = {0, 0, 1, 3, 4, 2};
    static const double sizes[] = {1548, 16547, 260100, 1058089859};
    static const double ratios[] = {0.1, 0.15, 0.25, 0.4, 0.6};
    struct routine_model small;
    struct ft_level level;
    struct ft_machine machine = routine_model_cache(&level, 2048);
    struct ft_critical_size *found;
    struct ft_largest_ratio largest;
    struct ft_miss_curve curve;
    size_t count;
    zhong_groups(&small, shares, constants, exponents, factors);
    struct ft_size_line line = ft_size_line_of(&small.model, 100);
    tap_ok(line.from == 1000 && line.to == 2e9 && line.whole, "whole sizes to 2,000,000,000");
    ft_miss_curve_init(&curve, &line, &machine, 0.05);
    curve.reuse = true;
    int status = ft_miss_curve_sample(&curve, NULL);
    tap_ok(status == FT_OK && curve.count < 500, "%zu samples", curve.count);
    if (ft_critical_sizes(&curve, 0, &found, &count, NULL) != FT_OK)
        abort();
    tap_ok(count == 4, "%zu critical sizes", count);
    for (size_t i = 0; i < count && i < 4; i++)
        tap_ok(fabs(found[i].first_after - sizes[i]) <= 1 &&
                   found[i].last_before == found[i].first_after - 1 &&
                   fabs(found[i].before - ratios[i]) < 1e-12 &&
                   fabs(found[i].after - ratios[i + 1]) < 1e-12 && found[i].scope == 3 + i &&
                   fabs(found[i].scope_share - 1) < 1e-9,
               "%.0f: %.3f to %.3f, by routine %u alone", found[i].first_after, found[i].before,
               found[i].after, found[i].scope);
    free(found);
    status = ft_largest_ratio(&curve, 0, 0, &largest, NULL);
    tap_ok(status == FT_OK && fabs(largest.ratio - 0.6) < 1e-12 &&
               fabs(largest.threshold - sizes[3]) <= 1,
           "MaxMR %.6f from %.0f on", largest.ratio, largest.threshold);
    tap_ok(fabs(ft_threshold_input(&curve, 0) - sizes[3]) <= 1, "T_s = %.0f",
           ft_threshold_input(&curve, 0));
    curve.line.to = 1e6;
    tap_ok(fabs(ft_threshold_input(&curve, 0) - sizes[3]) <= 1,
           "also beyond the sizes asked about");
    curve.line.to = line.to;
    const double *sample = ft_miss_sample(&curve, 0);
    /* Of 1,000 accesses one is a first touch and 0.1 x 999 never hit. */
    tap_ok(fabs(ft_miss_ratio_of(sample, 0, false) - 0.1009) < 1e-12 &&
               fabs(ft_miss_ratio_of(sample, 0, true) - 0.1) < 1e-12,
           "reuse miss rate: (misses - cold) / (accesses - cold)");
    double mini = 0;
    status = ft_mini_ref(&curve, 5e7, 0.1, &mini, NULL);
    tap_ok(status == FT_OK && fabs(mini - 260100) <= 1, "mini-ref of 50,000,000: %.0f", mini);
    ft_miss_curve_fini(&curve);
}

/* A group that hardly grows, d = 10 + 0.036 s^(1/3), reaches 2,048 blocks at (2038 / 0.036)^3 =
 * 1.814e14; its 0.1 % of the touches change no ratio by as much as a search over sizes sees. */
static void check_slow_group(void)
{
    static const double shares[] = {0.3, 0.3, 0.1, 0.199, 0.1, 0.001};
    static const double constants[] = {5, 3000, 500, 100, 8, 10};
    static const double exponents[] = {0, 0, 1, 2.0 / 3, 0.5, 1.0 / 3};
    static const double factors[] = {0, 0, 1, 3, 4, 0.036};
    const double expected = pow(2038 / 0.036, 3);
    struct routine_model small;
    struct ft_level level;
    struct ft_machine machine = routine_model_cache(&level, 2048);
    struct ft_miss_curve curve;
    zhong_groups(&small, shares, constants, exponents, factors);
    struct ft_size_line line = ft_size_line_of(&small.model, 100);
    ft_miss_curve_init(&curve, &line, &machine, 0.05);
    const double found = ft_threshold_input(&curve, 0);
    tap_ok(fabs(found / expected - 1) < 1e-9, "T_s = %.6g, by hand %.6g", found, expected);
    ft_miss_curve_fini(&curve);
}

static void check_constants(void)
{
    static const double shares[] = {0.3, 0.2, 0.1, 0.1, 0.1, 0.2};
    static const double constants[] = {5, 3000, 10, 2047, 2048, 2049};
    static const double zeros[ROUTINE_MODEL_GROUPS] = {0};
    struct routine_model small;
    struct ft_level level;
    struct ft_machine machine = routine_model_cache(&level, 2048);
    struct ft_critical_size *found;
    struct ft_largest_ratio largest;
    struct ft_miss_curve curve;
    size_t count = 1;
    zhong_groups(&small, shares, constants, zeros, zeros);
    struct ft_size_line line = ft_size_line_of(&small.model, 100);
    ft_miss_curve_init(&curve, &line, &machine, 0.05);
    curve.reuse = true;
    if (ft_miss_curve_sample(&curve, NULL) != FT_OK ||
        ft_critical_sizes(&curve, 0, &found, &count, NULL) != FT_OK ||
        ft_largest_ratio(&curve, 0, 0, &largest, NULL) != FT_OK)
        abort();
    tap_ok(count == 0 && largest.threshold == line.from && fabs(largest.ratio - 0.5) < 1e-12,
           "constant groups: %.3f at all sizes, those at the capacity missing", largest.ratio);
    tap_ok(isnan(ft_threshold_input(&curve, 0)), "no T_s where nothing grows");
    free(found);
    ft_miss_curve_fini(&curve);
}

/* ---- random models ---- */

static double pick(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Groups of N^2 or N^3 touches at three distances, which grow like 1, N or N^2. */
static void random_model(struct routine_model *small, uint64_t *state)
{
    routine_model_init(small, "N", "N,N^2,N^3", 10, 40);
    const struct ft_basis *basis = &small->model.basis;
    small->footprint[0] = routine_model_plus(routine_model_term(basis, 2, 3), 50);
    for (int i = 0; i < ROUTINE_MODEL_GROUPS; i++) {
        double exponent = floor(pick(state, 2, 4)), weight = pick(state, 1, 20);
        double share = 1;
        small->groups[i].accesses = small->histograms[i].touches =
            routine_model_term(basis, exponent, weight);
        small->histograms[i].cold = routine_model_term(basis, 2, fmin(0.5, weight / 20));
        for (int j = 0; j < ROUTINE_MODEL_BINS; j++) {
            small->bins[i][j].tail = routine_model_term(basis, exponent, weight * share);
            small->bins[i][j].distance_blocks = routine_model_plus(
                routine_model_term(basis, j, j == 2 ? pick(state, 0.05, 3) : pick(state, 1, 20)),
                floor(pick(state, 0, 10)));
            share *= pick(state, 0.1, 0.9);
        }
        routine_model_set_bins(small, (size_t)i, ROUTINE_MODEL_BINS);
    }
}

static double ratio_at(struct ft_miss_curve *curve, double n)
{
    double sample[4];
    if (curve->width != sizeof sample / sizeof *sample ||
        ft_miss_curve_at(curve, n, sample, NULL) != FT_OK)
        abort();
    return ft_miss_ratio(curve, sample, 0);
}

/* Every size: where the ratio comes to be at most `most`, or ceases to. */
static bool same_ranges(struct ft_miss_curve *curve, double most)
{
    struct ft_size_range *ranges;
    size_t count, seen = 0;
    bool held = false, same = true;
    if (ft_holding_sizes(curve, 0, most, &ranges, &count, NULL) != FT_OK)
        abort();
    for (uint64_t i = (uint64_t)curve->line.from; i <= (uint64_t)curve->line.to; i++) {
        const double n = (double)i;
        bool holds = ratio_at(curve, n) <= most;
        if (holds && !held)
            same = same && seen < count && ranges[seen].first == n;
        else if (held && !holds)
            same = same && ranges[seen++].last == n - 1;
        held = holds;
    }
    if (held)
        same = same && seen < count && ranges[seen++].last == curve->line.to;
    same = same && seen == count;
    free(ranges);
    return same;
}

static double scan_mini_ref(struct ft_miss_curve *curve, double reference, double within)
{
    double there = ratio_at(curve, reference), n = reference;
    while (n > curve->line.from &&
           fabs(ratio_at(curve, n - 1) - there) <= fmax(within * there, 1e-3))
        n--;
    return n;
}

static double scan_threshold(struct ft_miss_curve *curve, double ratio)
{
    double n = curve->line.from;
    while (ratio_at(curve, n) < ratio)
        n++;
    return n;
}

/* Jumps between neighbours of a tenth of the ratio and more: each must lie in a critical size. */
static bool finds_jumps(struct ft_miss_curve *curve, size_t *jumps)
{
    struct ft_critical_size *sizes;
    size_t count;
    bool all = true;
    if (ft_critical_sizes(curve, 0, &sizes, &count, NULL) != FT_OK)
        abort();
    for (uint64_t size = 100; size < (uint64_t)curve->line.to; size++) {
        const double n = (double)size;
        double before = ratio_at(curve, n), after = ratio_at(curve, n + 1);
        bool found = false;
        if (fabs(after - before) < fmax(0.1 * fmax(before, after), 1e-3))
            continue;
        ++*jumps;
        for (size_t i = 0; i < count; i++)
            found = found || (sizes[i].last_before <= n && n + 1 <= sizes[i].first_after);
        all = all && found;
    }
    for (size_t i = 0; i < count; i++)
        all = all && sizes[i].before == ratio_at(curve, sizes[i].last_before) &&
              sizes[i].after == ratio_at(curve, sizes[i].first_after);
    free(sizes);
    return all;
}

static void check_against_scans(void)
{
    enum { MODELS = 12 };
    uint64_t state = 11;
    size_t ranges = 0, minis = 0, thresholds = 0, fits = 0, jumps = 0, jumping = 0;
    for (int i = 0; i < MODELS; i++) {
        struct routine_model small;
        struct ft_level level;
        random_model(&small, &state);
        struct ft_machine machine = routine_model_cache(&level, (uint64_t)pick(&state, 200, 20000));
        struct ft_size_line line = ft_size_line_of(&small.model, 50);
        struct ft_miss_curve curve;
        struct ft_largest_ratio largest;
        double mini = 0, reference = floor(pick(&state, 300, 2000)), fitting = 0;
        ft_miss_curve_init(&curve, &line, &machine, 0.01);
        curve.reuse = i % 2;
        if (ft_miss_curve_sample(&curve, NULL) != FT_OK)
            abort();
        double first = ratio_at(&curve, line.from), last = ratio_at(&curve, line.to);
        ranges += same_ranges(&curve, pick(&state, fmin(first, last), fmax(first, last)));
        if (ft_mini_ref(&curve, reference, 0.1, &mini, NULL) != FT_OK ||
            ft_largest_ratio(&curve, 0, 0.02, &largest, NULL) != FT_OK)
            abort();
        minis += mini == scan_mini_ref(&curve, reference, 0.1);
        thresholds += largest.threshold == scan_threshold(&curve, 0.98 * largest.ratio);
        bool any = ft_largest_fitting(&curve, 0, &fitting);
        double root = floor(sqrt(((double)level.blocks - 50) / 3));
        fits += any ? fitting == root : root < line.from;
        jumping += finds_jumps(&curve, &jumps);
        ft_miss_curve_fini(&curve);
    }
    tap_ok(ranges == MODELS, "%zu of %d models: the ranges of a hit ratio are those of a scan",
           ranges, MODELS);
    tap_ok(minis == MODELS, "%zu: so is the mini-ref", minis);
    tap_ok(thresholds == MODELS, "%zu: so is the threshold of the largest ratio", thresholds);
    tap_ok(fits == MODELS, "%zu: so is the largest size that fits", fits);
    tap_ok(jumping == MODELS && jumps >= MODELS, "%zu: all %zu jumps are in critical sizes",
           jumping, jumps);
}

/* Two of Zhong's programs: where neither grows they have the same ratio, which is shown once. */
static void check_known_set(void)
{
    static const double shares[] = {0.4, 0.1, 0.05, 0.1, 0.15, 0.2};
    static const double others[] = {0.4, 0.1, 0.15, 0.15, 0.1, 0.1};
    static const double constants[] = {5, 3000, 500, 100, 8, 10};
    static const double exponents[] = {0, 0, 1, 2.0 / 3, 0.5, 1.0 / 3};
    static const double factors[] = {0, 0, 1, 3, 4, 2};
    /* One has 0.1, 0.15, 0.25, 0.4 and 0.6, the other 0.1, 0.25 from 1548 on, 0.4 from 16547 on,
     * 0.5 and 0.6: each where it comes first; of equals the first program. */
    static const struct {
        size_t curve;
        double size;
    } expected[] = {{0, 1000}, {0, 1548}, {1, 1548}, {1, 16547}, {1, 260100}, {0, 1058089860}};
    struct routine_model programs[2];
    struct ft_level level;
    struct ft_machine machine = routine_model_cache(&level, 2048);
    struct ft_miss_curve curves[2];
    struct ft_mini_set set = {0};
    zhong_groups(&programs[0], shares, constants, exponents, factors);
    zhong_groups(&programs[1], others, constants, exponents, factors);
    for (int i = 0; i < 2; i++) {
        struct ft_size_line line = ft_size_line_of(&programs[i].model, 100);
        ft_miss_curve_init(&curves[i], &line, &machine, 0.05);
        curves[i].reuse = true;
        if (ft_miss_curve_sample(&curves[i], NULL) != FT_OK)
            abort();
    }
    if (ft_mini_set(curves, 2, 0.1, &set, NULL) != FT_OK)
        abort();
    tap_ok(set.count == 6, "%zu inputs show all ratios of two programs", set.count);
    for (size_t i = 0; i < set.count && i < 6; i++)
        tap_ok(set.inputs[i].curve == expected[i].curve &&
                   fabs(set.inputs[i].sample[FT_SAMPLE_SIZE] - expected[i].size) <= 1,
               "%.0f of program %zu", set.inputs[i].sample[FT_SAMPLE_SIZE], set.inputs[i].curve);
    ft_mini_set_fini(&set);
    for (int i = 0; i < 2; i++)
        ft_miss_curve_fini(&curves[i]);
}

/* The inputs of a set that are no dearer than a sample and whose ratios are alike its own. */
static size_t count_showing(const struct ft_miss_curve *curve, const struct ft_mini_set *set,
                            const double *sample, double within)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const double *chosen = set->inputs[i].sample;
        count += chosen[FT_SAMPLE_ACCESSES] <= sample[FT_SAMPLE_ACCESSES] &&
                 ft_miss_ratios_alike(curve, chosen, sample, within);
    }
    return count;
}

/* Every size of random programs in two caches at once has an input that shows it. */
static void check_random_set(void)
{
    enum { PROGRAMS = 3 };
    struct routine_model programs[PROGRAMS];
    struct ft_level levels[2];
    struct ft_machine machine = routine_model_cache(&levels[0], 300);
    struct ft_miss_curve curves[PROGRAMS];
    struct ft_mini_set set = {0};
    uint64_t state = 23;
    double sample[6];
    size_t unshown = 0, alone = 0, sizes = 0;
    levels[1] = levels[0];
    levels[1].blocks = levels[1].ways = 5000;
    machine.level_count = machine.cache_count = 2;
    for (int i = 0; i < PROGRAMS; i++) {
        random_model(&programs[i], &state);
        struct ft_size_line line = ft_size_line_of(&programs[i].model, 10);
        ft_miss_curve_init(&curves[i], &line, &machine, 0.05);
        if (ft_miss_curve_sample(&curves[i], NULL) != FT_OK)
            abort();
    }
    if (ft_mini_set(curves, PROGRAMS, 0.1, &set, NULL) != FT_OK)
        abort();
    for (int i = 0; i < PROGRAMS; i++)
        for (uint64_t n = 10; n <= 400; n++, sizes++) {
            if (ft_miss_curve_at(&curves[i], (double)n, sample, NULL) != FT_OK)
                abort();
            unshown += count_showing(&curves[i], &set, sample, 0.1 + 1e-9) == 0;
        }
    for (size_t i = 0; i < set.count; i++)
        alone += count_showing(&curves[0], &set, set.inputs[i].sample, 0.1) == 1;
    tap_ok(unshown == 0, "%zu inputs: of %zu sizes %zu have no cheaper one that is alike",
           set.count, sizes, unshown);
    tap_ok(alone == set.count && set.count < sizes / 10, "none of them is alike a cheaper one");
    ft_mini_set_fini(&set);
    for (int i = 0; i < PROGRAMS; i++)
        ft_miss_curve_fini(&curves[i]);
}

static void check_least_caches(void)
{
    uint64_t state = 5;
    struct routine_model small;
    struct ft_whole_histogram whole = {0};
    struct ft_forecast forecast = {0};
    size_t same = 0, tried = 0;
    double blocks;
    random_model(&small, &state);
    const struct ft_size_line line = ft_size_line_of(&small.model, 10);
    const struct ft_point at = ft_size_line_at(&line, 60);
    if (ft_whole_evaluate(&small.model, 0, &at, &whole, NULL) != FT_OK)
        abort();
    for (int step = 0; step < 27; step++) {
        const double ratio = 0.001 * pow(1.3, step);
        double scanned = 0, misses;
        do {
            misses = 0;
            scanned++;
            for (size_t i = 0; i < ROUTINE_MODEL_GROUPS; i++) {
                ft_forecast_evaluate(&small.model, i, 0, &at, &forecast, NULL);
                misses += ft_forecast_misses(&forecast, scanned);
            }
        } while (misses > ratio * whole.all.accesses && scanned < 20000);
        tried++;
        bool found = ft_whole_min_blocks(&whole, ratio * whole.all.accesses, &blocks);
        same += found ? blocks == scanned &&
                            fabs(ft_whole_misses(&whole, blocks) - misses) < 1e-6 * misses
                      : scanned == 20000 && whole.all.cold > ratio * whole.all.accesses;
    }
    tap_ok(same == tried && tried > 20, "%zu least caches are those of a scan over capacities",
           same);
    tap_ok(!ft_whole_min_blocks(&whole, 0.999 * whole.all.cold, &blocks),
           "no cache avoids first touches");
    ft_forecast_fini(&forecast);
    ft_whole_fini(&whole);
}

int main(void)
{
    check_zhong();
    check_slow_group();
    check_constants();
    check_against_scans();
    check_known_set();
    check_random_set();
    check_least_caches();
    routine_models_free_bins();
    return tap_plan_done();
}
