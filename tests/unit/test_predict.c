/*
 * Prediction against numbers computed by other means: the miss probability against its sum of
 * binomial terms in long double, and a model of two scopes whose misses, schedule and penalty on
 * the R12000 are worked out by hand in the comments.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/x86/unit.h"
#include "predict/commands/report.h"
#include "predict/metrics/cycles.h"
#include "predict/metrics/miss_probability.h"
#include "predict/metrics/misses.h"
#include "predict/prediction.h"
#include "predict/time_bounds.h"
#include "tests/support/tap.h"

static bool close_to(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance * fmax(fabs(expected), 1);
}

/* 1 - sum_{i=0}^{min(k-1,n)} C(n,i) (1/s)^i ((s-1)/s)^(n-i), term by term. */
static long double direct_sum(unsigned s, unsigned k, unsigned n)
{
    long double term = powl((long double)(s - 1) / s, n), sum = 0;
    for (unsigned i = 0; i < k && i <= n; i++) {
        sum += term;
        term *= (long double)(n - i) / (i + 1) / (s - 1);
    }
    return 1 - sum;
}

static void check_probabilities(void)
{
    static const unsigned sets[] = {2, 3, 64, 512, 2048, 7168};
    static const unsigned ways[] = {1, 2, 4, 8, 12, 16, 20, 128, 1000};
    static const double fills[] = {0.01, 0.3, 0.9, 1, 1.1, 2, 5};
    double worst = 0;
    unsigned cases = 0;
    for (size_t a = 0; a < sizeof sets / sizeof *sets; a++)
        for (size_t b = 0; b < sizeof ways / sizeof *ways; b++)
            for (size_t c = 0; c < sizeof fills / sizeof *fills; c++) {
                double n = floor(fills[c] * sets[a] * ways[b]);
                if (n / sets[a] > 3000) /* the first term of the sum underflows */
                    continue;
                long double expected = direct_sum(sets[a], ways[b], (unsigned)n);
                double error = fabs(ft_miss_probability(sets[a], ways[b], n) - (double)expected);
                worst = fmax(worst, error);
                cases++;
            }
    tap_ok(worst < 1e-9, "%u probabilities within %.1g of the direct sum", cases, worst);
    /* P(X >= 2) for 3 throws with probability 1/2 each: 3/8 + 1/8. */
    tap_ok(close_to(ft_miss_probability(2, 2, 3), 0.5, 1e-14), "2 sets, 2 ways, distance 3");
    tap_ok(close_to(ft_miss_probability(4, 1, 1), 0.25, 1e-14), "4 sets, 1 way, distance 1");
    tap_ok(ft_miss_probability(1, 64, 63) == 0 && ft_miss_probability(1, 64, 64) == 1,
           "one set misses from its ways on");
    tap_ok(ft_miss_probability(64, 8, 7.5) == 0, "fewer others than ways never miss");
    double before = ft_miss_probability(64, 8, 512), middle = ft_miss_probability(64, 8, 512.5),
           after = ft_miss_probability(64, 8, 513);
    tap_ok(before < middle && middle < after, "distances between integers");
    tap_ok(ft_miss_probability(2048, 16, 1e12) == 1, "far beyond capacity");
    tap_ok(ft_miss_probability(2048, 1024, 1024) >= 0 &&
               ft_miss_probability(2048, 1024, 1024) < 1e-300,
           "a probability that underflows");
    tap_ok(close_to(ft_miss_probability(2000, 1e6, 2e9), 0.5, 1e-3), "a million ways");
}

static void check_counts(void)
{
    struct ft_forecast_bin bins[] = {{3, 100}, {63.5, 10}, {64, 20}, {5000, 40}};
    struct ft_forecast forecast = {.touches = 177, .cold = 7, .bins = bins, .bin_count = 4};
    const struct ft_set_chances whole = ft_random_chances(64, 64, 1),
                                sets = ft_random_chances(64, 4, 1);
    struct ft_miss_count misses = ft_count_misses(&forecast, &whole);
    tap_ok(misses.fully_associative == 67 && misses.set_associative == 67,
           "one set: %.0f fully associative, %.0f binomial", misses.fully_associative,
           misses.set_associative);
    misses = ft_count_misses(&forecast, &sets);
    double expected = 7;
    for (int i = 0; i < 4; i++)
        expected += bins[i].touches * ft_miss_probability(16, 4, bins[i].distance_blocks);
    tap_ok(misses.fully_associative == 67 && close_to(misses.set_associative, expected, 1e-14) &&
               misses.set_associative > 47,
           "16 sets of 4: %.3f", misses.set_associative);
}

static void check_schedule(const struct ft_machine *machine)
{
    double mix[FT_MIX_COUNT] = {0};
    const char *limit;
    mix[FT_MIX_INTEGER] = 300;
    mix[FT_MIX_LOAD] = 200;
    mix[FT_MIX_STORE] = 100;
    mix[FT_MIX_FP_ADD] = 100;
    mix[FT_MIX_FP_MULTIPLY] = 100;
    /* 800 / 4 = 200 issued, 300 / 2 = 150 in the ALUs, 300 / 1 in the address unit. */
    double cycles = ft_schedule_cycles(machine, 800, mix, &limit);
    tap_ok(cycles == 300 && strcmp(limit, "address unit") == 0, "%.0f cycles by the %s", cycles,
           limit);
    cycles = ft_schedule_cycles(machine, 1600, mix, &limit);
    tap_ok(cycles == 400 && strcmp(limit, "issue width") == 0, "%.0f cycles by the %s", cycles,
           limit);
    mix[FT_MIX_FP_DIVIDE] = 20; /* 21 cycles each */
    cycles = ft_schedule_cycles(machine, 1600, mix, &limit);
    tap_ok(close_to(cycles, 420, 1e-12) && strcmp(limit, "FP divider") == 0,
           "%.0f cycles by the %s", cycles, limit);
}

static void check_time(const struct ft_machine *machine)
{
    /* 1000 L1 misses x 0.5 x (11 - 3) + 100 L2 misses x (92 - 11) + 10 TLB misses x 78
     * = 4000 + 8100 + 780; where lines are dirty L2 misses cost 135 - 11 = 124: 12400. */
    const double misses[] = {1000, 100, 10};
    double cycles = ft_memory_cycles(machine, misses, false);
    tap_ok(cycles == 12880, "penalty of %.0f cycles", cycles);
    cycles = ft_memory_cycles(machine, misses, true);
    tap_ok(cycles == 17180, "penalty of %.0f cycles with dirty lines", cycles);
    /* 1000 accesses of 3 cycles, all of 8 per L1 miss, 81 per L2 miss, 78 per TLB miss. */
    cycles = ft_access_latency_cycles(machine, 1000, misses, false);
    tap_ok(cycles == 3000 + 8000 + 8100 + 780, "latencies of %.0f cycles, none of them hidden",
           cycles);
    double mix[FT_MIX_COUNT] = {0};
    mix[FT_MIX_INTEGER] = 100;
    mix[FT_MIX_LOAD] = 50; /* charged as accesses */
    mix[FT_MIX_FP_FMA] = 10;
    tap_ok(ft_latency_cycles(machine, 160, mix) == 190 &&
               ft_latency_cycles(machine, 500, mix) == 500,
           "results one after the other; no instruction takes less than a cycle");
    const struct ft_machine slow = {
        .operation_cycles = {[FT_MIX_INTEGER] = 2, [FT_MIX_FP_FMA] = 4}};
    tap_ok(ft_latency_cycles(&slow, 160, mix) == 290,
           "as long as on this machine, if that is more");
    tap_ok(close_to(ft_machine_seconds(machine, 3e8), 1, 1e-15), "3e8 cycles are one second");
}

/* ---- a model by hand ---- */

static struct ft_function constant(double value)
{
    return (struct ft_function){.coefficients = {value}};
}

static struct ft_function linear(double slope)
{
    struct ft_basis basis = ft_basis_default("N");
    struct ft_function function = {.exact = true};
    function.coefficients[ft_basis_power(&basis, 1)] = slope;
    return function;
}

/* The only member of a histogram, which all models made here share. */
static void pack(struct ft_model_member *member, const struct ft_model_bin *bins, size_t count)
{
    if (!member->bins)
        *member = (struct ft_model_member){.weight = 1, .bins = ft_member_bins_of(bins, count)};
}

/*
 * Program, module, routine f and a loop in it. At n the loop makes 10 n accesses:
 *   32 B:  2n at distance 2000 (beyond the 1024 blocks of L1), 7n at 1, n cold
 *   128 B: 9.9n at 5, 0.1n cold
 *   32 K:  10n at 0 but for 1 cold
 * and the routine itself n accesses, all at distance 0. The loop executes 40 n instructions, among
 * them 10 n loads, the routine n / 2.
 */
static void build_model(struct ft_model *model)
{
    static uint64_t block_bytes[] = {32, 128, 32768};
    static struct ft_scope scopes[] = {
        {.kind = FT_SCOPE_PROGRAM, .name = "p", .file = "", .module = FT_NO_MODULE},
        {.kind = FT_SCOPE_MODULE, .name = "m", .file = ""},
        {.kind = FT_SCOPE_ROUTINE, .parent = 1, .name = "f", .file = "f.c"},
        {.kind = FT_SCOPE_LOOP,
         .parent = 2,
         .name = "loop at f.c:3",
         .file = "f.c",
         .loop_depth = 1},
    };
    static struct ft_scope_module modules[] = {{.name = "m", .path = "/m"}};
    static struct ft_function footprint[3];
    static struct ft_model_bin small[2], line[1], page[1], still[3];
    static struct ft_model_member members[6];
    static struct ft_model_histogram loop[3], routine[3];
    static struct ft_model_group groups[2];
    static struct ft_model_scope_counts counts[2];
    static double training[] = {10, 20, 40};
    for (int i = 0; i < 3; i++)
        footprint[i] = constant(1e9);
    small[0] = (struct ft_model_bin){linear(9), constant(1)};
    small[1] = (struct ft_model_bin){linear(2), constant(2000)};
    line[0] = (struct ft_model_bin){linear(9.9), constant(5)};
    page[0] = (struct ft_model_bin){linear(10), constant(0)};
    page[0].tail.coefficients[0] = -1;
    pack(&members[0], small, 2);
    pack(&members[1], line, 1);
    pack(&members[2], page, 1);
    loop[0] = (struct ft_model_histogram){linear(10), linear(1), &members[0], 1};
    loop[1] = (struct ft_model_histogram){linear(10), linear(0.1), &members[1], 1};
    loop[2] = (struct ft_model_histogram){linear(10), constant(1), &members[2], 1};
    for (int i = 0; i < 3; i++) {
        still[i] = (struct ft_model_bin){linear(1), constant(0)};
        pack(&members[3 + i], &still[i], 1);
        routine[i] = (struct ft_model_histogram){linear(1), constant(0), &members[3 + i], 1};
    }
    groups[0] = (struct ft_model_group){.scope = 2, .accesses = linear(1), .histograms = routine};
    groups[1] = (struct ft_model_group){.scope = 3, .accesses = linear(10), .histograms = loop};
    counts[0] = (struct ft_model_scope_counts){.scope = 2, .instructions = linear(0.5)};
    counts[1] = (struct ft_model_scope_counts){.scope = 3, .instructions = linear(40)};
    counts[1].mix[FT_MIX_LOAD] = linear(10);
    *model = (struct ft_model){
        .program = "p",
        .parameter = "N",
        .basis = ft_basis_default("N"),
        .training = training,
        .training_count = 3,
        .scopes = {.modules = modules, .module_count = 1, .scopes = scopes, .scope_count = 4},
        .block_bytes = block_bytes,
        .size_count = 3,
        .distinct_blocks = footprint,
        .groups = groups,
        .group_count = 2,
        .counts = counts,
        .counts_count = 2,
    };
}

typedef int report_function(const struct ft_report *report, FILE *stream, struct ft_diag *diag);

static int one_as_json(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    return ft_reports_json(report, 1, stream, diag);
}

static int one_as_csv(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    return ft_reports_csv(report, 1, stream, diag);
}

/* The caller frees the text. */
static char *text_of(report_function *function, const struct ft_report *report)
{
    char *text = NULL;
    size_t bytes = 0;
    struct ft_diag diag = {0};
    FILE *stream = open_memstream(&text, &bytes);
    int status = function(report, stream, &diag);
    fclose(stream);
    tap_ok(status == FT_OK, "a report %s", diag.message);
    return text;
}

static double number_at(const json_t *levels, size_t level, const char *key)
{
    return json_number_value(json_object_get(json_array_get(levels, level), key));
}

/* With a check in which the simulation found 200 L1 misses in the loop. */
static void check_reports(const struct ft_prediction *prediction)
{
    static double rows[4 * 7] = {[0] = 1100, [1] = 200, [3 * 7] = 1000, [3 * 7 + 1] = 200};
    static char hash[] = "0123456789abcdef";
    const struct ft_check check = {
        .trace_hash = hash, .matched_share = 0.75, .width = 7, .inclusive = rows};
    static const uint32_t list[] = {2, 3};
    struct ft_report report = {prediction, &check, list, 2};
    char *text = text_of(one_as_json, &report);
    json_t *root = json_loads(text, 0, NULL), *total = json_object_get(root, "total");
    const json_t *loop = json_array_get(json_object_get(root, "loops"), 1);
    const json_t *levels = json_object_get(loop, "levels");
    tap_ok(strcmp(json_string_value(json_object_get(root, "machine")), "origin2000-r12000") == 0 &&
               json_number_value(json_object_get(json_object_get(root, "parameters"), "N")) == 100,
           "JSON: machine and parameters");
    tap_ok(json_number_value(json_object_get(total, "accesses")) == 1100 &&
               json_array_size(json_object_get(total, "levels")) == 3,
           "JSON: total");
    tap_ok(json_number_value(json_object_get(total, "seconds_at_least")) > 0 &&
               json_number_value(json_object_get(total, "seconds_at_most")) >
                   json_number_value(json_object_get(total, "seconds_at_least")) &&
               json_is_null(json_object_get(total, "seconds")) &&
               json_is_null(json_object_get(total, "time")),
           "JSON: bounds of the time, and of a model without code no estimate");
    tap_ok(strcmp(json_string_value(json_object_get(loop, "kind")), "loop") == 0 &&
               strcmp(json_string_value(json_object_get(loop, "file")), "f.c") == 0,
           "JSON: a loop says what it is");
    tap_ok(number_at(levels, 0, "predicted_fully_associative") == 300 &&
               number_at(levels, 0, "simulated_fully_associative") == 200 &&
               number_at(levels, 0, "fully_associative_error") == 0.5 &&
               json_is_null(json_object_get(json_array_get(levels, 1), "set_associative_error")),
           "JSON: predicted beside simulated");
    json_decref(root);
    free(text);
    text = text_of(one_as_csv, &report);
    tap_ok(strstr(text, "kind,name,module,file,first_line,last_line,depth,inlined,accesses,") ==
                   text &&
               strstr(text, ",l1d_predicted_fully_associative,l1d_predicted_set_associative,") &&
               strstr(text, "\nloop,loop at f.c:3,m,f.c,0,0,1,,1000,4000,0,1000,"),
           "CSV");
    free(text);
    text = text_of(ft_report_text, &report);
    tap_ok(strstr(text, "(2.5x extrapolation)") &&
               strstr(text, "75.0 % of the simulated accesses") && strstr(text, "+50.0 %"),
           "text");
    free(text);
    report.check = NULL;
    text = text_of(ft_report_text, &report);
    tap_ok(strstr(text, "f (m)") && strstr(text, "  loop at f.c:3"), "text without a check");
    free(text);
}

/* No number, and no error of it, where the interval is as wide as the figure. */
static void check_unknown(const struct ft_prediction *prediction)
{
    static double rows[4 * 7] = {[3 * 7] = 1000, [3 * 7 + 1] = 200};
    static char hash[] = "0123456789abcdef";
    const struct ft_check check = {
        .trace_hash = hash, .matched_share = 0.75, .width = 7, .inclusive = rows};
    static const uint32_t list[] = {3};
    const struct ft_report report = {prediction, &check, list, 1};
    struct ft_interval *interval =
        &prediction->intervals[3 * prediction->width + ft_fully_assoc_column(0)];
    const struct ft_interval before = *interval;
    *interval = (struct ft_interval){.low = 0, .high = 700};
    char *text = text_of(one_as_json, &report);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *loop = json_array_get(json_object_get(root, "loops"), 0);
    const json_t *level = json_array_get(json_object_get(loop, "levels"), 0);
    tap_ok(json_is_null(json_object_get(level, "predicted_fully_associative")) &&
               json_is_null(json_object_get(level, "fully_associative_error")) &&
               json_integer_value(json_object_get(level, "simulated_fully_associative")) == 200,
           "JSON: a figure that is unknown");
    json_decref(root);
    free(text);
    text = text_of(ft_report_text, &report);
    tap_ok(strstr(text, "unknown") && !strstr(text, "+50.0 %"), "text: it is unknown");
    free(text);
    *interval = before;
}

/* A time lies between schedule and latencies, and the first is known where misses are not. */
static void check_bounds(const struct ft_prediction *prediction)
{
    const double *row = prediction->inclusive;
    struct ft_interval *intervals = prediction->intervals;
    const struct ft_interval schedule = intervals[FT_METRIC_SCHEDULE_CYCLES];
    const struct ft_interval serial = intervals[FT_METRIC_SERIAL_CYCLES];
    struct ft_time_bounds bounds = ft_time_bounds_of(prediction, 0);
    tap_ok(close_to(bounds.least_seconds, 1012.5 / 3e8, 1e-12) &&
               close_to(bounds.most_seconds, row[FT_METRIC_SERIAL_CYCLES] / 3e8, 1e-12) &&
               bounds.most_seconds > bounds.least_seconds,
           "without intervals: %g s to %g s", bounds.least_seconds, bounds.most_seconds);
    for (size_t i = 0; i < prediction->model->scopes.scope_count; i++)
        intervals[i * prediction->width + FT_METRIC_SCHEDULE_CYCLES] =
            (struct ft_interval){900, 1200, false, true};
    intervals[FT_METRIC_SERIAL_CYCLES] = (struct ft_interval){1e3, 3e8, false, true};
    bounds = ft_time_bounds_of(prediction, 0);
    tap_ok(close_to(bounds.least_seconds, 900 / 3e8, 1e-12) &&
               close_to(bounds.most_seconds, 1, 1e-12),
           "the outer ends of the intervals");
    intervals[FT_METRIC_SERIAL_CYCLES].known = false;
    bounds = ft_time_bounds_of(prediction, 0);
    tap_ok(close_to(bounds.least_seconds, 900 / 3e8, 1e-12) && isnan(bounds.most_seconds),
           "memory is unknown: at least the schedule");
    for (size_t i = 0; i < prediction->model->scopes.scope_count; i++)
        intervals[i * prediction->width + FT_METRIC_SCHEDULE_CYCLES] = schedule;
    intervals[FT_METRIC_SERIAL_CYCLES] = serial;
}

/* Of a model without code by units alone: 1012.5 cycles, and the penalty of the row. */
static void check_penalties(const struct ft_model *model, const struct ft_machine *machine)
{
    struct ft_prediction prediction = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_predict(model, machine, &(struct ft_query_point){.value = 100},
                           &(struct ft_predict_options){.with_penalties = true}, &prediction,
                           &diag) == FT_OK,
                "predicts %s", diag.message))
        return;
    const struct ft_penalty_time *total = &prediction.penalties[0],
                                 *loop = &prediction.penalties[3];
    const double penalty = prediction.inclusive[FT_METRIC_MEMORY_CYCLES];
    tap_ok(close_to(total->seconds, (1012.5 + penalty) / 3e8, 1e-12) &&
               close_to(total->schedule_seconds, 1012.5 / 3e8, 1e-12) && total->known &&
               isnan(total->low) && isnan(total->high),
           "schedule and penalty of the program: %g s", total->seconds);
    tap_ok(close_to(loop->seconds, (1000 + penalty) / 3e8, 1e-12), "and of the loop: %g s",
           loop->seconds);
    tap_ok(strcmp(ft_prediction_schedule_name(&prediction), "units") == 0, "by units");
    ft_prediction_fini(&prediction);
}

static void check_prediction(const struct ft_machine *machine)
{
    struct ft_model model;
    struct ft_prediction prediction = {0};
    struct ft_diag diag = {0};
    build_model(&model);
    if (!tap_ok(ft_predict(&model, machine, &(struct ft_query_point){.value = 100},
                           &(struct ft_predict_options){0}, &prediction, &diag) == FT_OK,
                "predicts %s", diag.message))
        return;
    const double *loop = prediction.inclusive + 3 * prediction.width;
    const double *routine = prediction.inclusive + 2 * prediction.width;
    const double *exclusive = prediction.exclusive + 2 * prediction.width;
    const double *total = prediction.inclusive;
    tap_ok(prediction.extrapolation == 2.5, "2.5 times the largest size");
    tap_ok(loop[FT_METRIC_ACCESSES] == 1000 && exclusive[FT_METRIC_ACCESSES] == 100 &&
               routine[FT_METRIC_ACCESSES] == 1100 && total[FT_METRIC_ACCESSES] == 1100,
           "accesses of the loop, the routine and the program");
    /* L1: 100 cold + 200 at distance 2000 of 1024 blocks; the 700 at 1 fit. */
    tap_ok(loop[ft_fully_assoc_column(0)] == 300, "L1: %.3f fully associative",
           loop[ft_fully_assoc_column(0)]);
    /* 512 sets of 2: 200 P(512, 2, 2000) + 700 P(512, 2, 1) = 0 + 100 cold. */
    double q = 511.0 / 512;
    double probability = 1 - pow(q, 2000) - 2000.0 / 512 * pow(q, 1999);
    tap_ok(close_to(loop[ft_set_assoc_column(0)], 100 + 200 * probability, 1e-12),
           "L1: %.3f set-associative", loop[ft_set_assoc_column(0)]);
    /* L2: 10 cold, the others at 5 of 65536 blocks; in sets of 2 almost none of them miss. */
    q = 32767.0 / 32768;
    probability = 1 - pow(q, 5) - 5.0 / 32768 * pow(q, 4);
    tap_ok(close_to(loop[ft_fully_assoc_column(1)], 10, 1e-12) &&
               close_to(loop[ft_set_assoc_column(1)], 10 + 990 * probability, 1e-12),
           "L2: %.3f and %.6f", loop[ft_fully_assoc_column(1)], loop[ft_set_assoc_column(1)]);
    tap_ok(loop[ft_fully_assoc_column(2)] == 1 && loop[ft_set_assoc_column(2)] == 1, "TLB: %.3f",
           loop[ft_fully_assoc_column(2)]);
    /* Loop: max(4000 / 4, 1000 loads / 1) = 1000; routine alone: 50 / 4. */
    tap_ok(loop[FT_METRIC_SCHEDULE_CYCLES] == 1000 && total[FT_METRIC_SCHEDULE_CYCLES] == 1012.5,
           "schedule");
    double penalty = 4 * loop[ft_set_assoc_column(0)] + 81 * loop[ft_set_assoc_column(1)] + 78;
    tap_ok(close_to(total[FT_METRIC_MEMORY_CYCLES], penalty, 1e-12), "penalty of %.1f cycles",
           penalty);
    check_bounds(&prediction);
    check_reports(&prediction);
    check_unknown(&prediction);
    tap_ok(prediction.penalties == NULL, "the published formula only if asked for");
    ft_prediction_fini(&prediction);
    check_penalties(&model, machine);

    model.size_count = 2; /* 32 K was not replayed */
    int status = ft_predict(&model, machine, &(struct ft_query_point){.value = 100},
                            &(struct ft_predict_options){0}, &prediction, &diag);
    tap_ok(status == FT_ERROR_USAGE && strstr(diag.message, "-b 32,128,32K"), "%s", diag.message);
}

/* Accesses with an alignment, learned at N = 10, 20, 40 (2, 4 and 0 modulo 8), on which two
 * replicas agree: exact where the residue is one of these, with all else that is. */
static void check_new_residues(const struct ft_machine *machine)
{
    static const double sizes[] = {100, 104, 101};
    struct ft_model model, replicas[2];
    build_model(&model);
    const struct ft_term aligned = {.exponents = {2}, .modulus = 8};
    size_t term = ft_basis_insert(&model.basis, &aligned);
    model.groups[1].accesses.coefficients[term] = 0.5;
    replicas[0] = replicas[1] = model;
    model.replicas = replicas;
    model.replica_count = 2;
    for (size_t i = 0; i < 3; i++) {
        const double n = sizes[i];
        const struct ft_query_point size = {.value = n, .asked = {.values = {n}}};
        struct ft_prediction prediction;
        double low, high;
        bool seen = n != 101;
        if (ft_predict(&model, machine, &size, &(struct ft_predict_options){0}, &prediction,
                       NULL) != FT_OK)
            abort();
        const double *row = prediction.inclusive + 3 * prediction.width;
        const struct ft_interval *intervals = prediction.intervals + 3 * prediction.width;
        const struct ft_interval *accesses = &intervals[FT_METRIC_ACCESSES];
        const double expected = 10 * n + 0.5 * n * n * ft_alignment(n, 8);
        const double mean = 10 * n + 0.5 * n * n * ft_mean_alignment(8);
        low = seen ? expected : fmin(expected, mean);
        high = seen ? expected : fmax(expected, mean);
        tap_ok(accesses->exact == seen && accesses->low <= low && accesses->high >= high &&
                   row[FT_METRIC_ACCESSES] == expected,
               "N = %g: %.0f accesses, %.0f to %.0f", n, expected, accesses->low, accesses->high);
        tap_ok(intervals[FT_METRIC_INSTRUCTIONS].exact,
               "and instructions, which depend on no alignment, exactly");
        ft_prediction_fini(&prediction);
    }
}

int main(void)
{
    struct ft_machine machine = {0};
    struct ft_diag diag = {0};
    gsl_set_error_handler_off();
    check_probabilities();
    check_counts();
    if (tap_ok(ft_machine_load("origin2000-r12000", &machine, &diag) == FT_OK, "R12000 %s",
               diag.message)) {
        check_schedule(&machine);
        check_time(&machine);
        check_prediction(&machine);
        check_new_residues(&machine);
    }
    ft_machine_fini(&machine);
    return tap_plan_done();
}
