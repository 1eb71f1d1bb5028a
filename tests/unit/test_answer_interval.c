/*
 * Intervals of answers (predict/commands/query/answer_interval.h) of a model whose replicas are
 * made by hand: what the answer of each is, and so the interval, follows on paper.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/cli/json.h"
#include "predict/commands/query/answer.h"
#include "predict/intervals/interval.h"
#include "tests/support/routine_model.h"
#include "tests/support/tap.h"

#define REPLICAS 4

/* One group with all its reuse at `slope` N blocks. */
static void straight_model(struct routine_model *small, double slope)
{
    routine_model_init(small, "N", "N,N^2", 10, 40);
    const struct ft_basis *basis = &small->model.basis;
    small->footprint[0] = routine_model_term(basis, 1, 100);
    small->model.group_count = 1;
    small->groups[0].accesses = small->histograms[0].touches = routine_model_term(basis, 2, 10);
    small->histograms[0].cold = routine_model_term(basis, 1, 1);
    small->bins[0][0].tail = routine_model_term(basis, 2, 10);
    small->bins[0][0].distance_blocks = routine_model_term(basis, 1, slope);
    routine_model_set_bins(small, 0, 1);
}

/* The first row of a list of an answer; the caller gives it up. */
static json_t *first_row(const struct ft_query *query, const struct ft_model *model,
                         const char *list)
{
    struct ft_answer answer;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream || ft_answer_make(query, model, 1, &answer, NULL) != FT_OK ||
        ft_answer_write(&answer, stream, NULL) != FT_OK || fclose(stream) != 0)
        abort();
    json_t *root = json_loads(text, 0, NULL);
    json_t *row = json_incref(json_array_get(json_object_get(root, list), 0));
    json_decref(root);
    ft_answer_fini(&answer);
    free(text);
    return row;
}

static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b); /* JSON has 15 digits */
}

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

/* Replicas with all reuse at 6.5, 7, 7.25 and 7.5 N blocks around a model's 7 N, and what an answer
 * is in each of them. */
struct fitting {
    struct routine_model small, others[REPLICAS];
    struct ft_model replicas[REPLICAS];
    double answers[REPLICAS];
};

static const double slopes[REPLICAS] = {6.5, 7, 7.25, 7.5};

static void fitting_init(struct fitting *fitting)
{
    straight_model(&fitting->small, 7);
    for (int i = 0; i < REPLICAS; i++) {
        straight_model(&fitting->others[i], slopes[i]);
        fitting->replicas[i] = fitting->others[i].model;
    }
    fitting->small.model.replicas = fitting->replicas;
    fitting->small.model.replica_count = REPLICAS;
}

/* At N = 100 the smallest cache is 701 blocks, in the replicas 651 to 751; it is larger where
 * distances are a standard error longer and a cache does as one a quarter smaller, for lines of 4
 * elements begin otherwise than at the training sizes, and the reverse. */
static void check_smallest_cache(struct fitting *fitting)
{
    double logs[REPLICAS], mean = 0, square = 0;
    for (int i = 0; i < REPLICAS; i++) {
        fitting->answers[i] = 32 * (floor(slopes[i] * 100) + 1);
        logs[i] = log1p(slopes[i] * 100);
        mean += logs[i] / REPLICAS;
    }
    for (int i = 0; i < REPLICAS; i++)
        square += pow(logs[i] - mean, 2);
    const double error = exp(sqrt(square * (REPLICAS - 1) / REPLICAS));
    const double otherwise[] = {32 * (floor(700 * error) + 1) / 0.75,
                                32 * (floor(700 / error) + 1) / 1.25};
    const struct ft_query query = {.question = FT_ASK_MIN_CACHE,
                                   .form = FT_REPORT_JSON,
                                   .at = "N=100",
                                   .miss_ratio = 0.05,
                                   .within = 0.1};
    struct ft_model *model = &fitting->small.model;
    model->replica_count = 0;
    json_t *row = first_row(&query, model, "least_caches");
    tap_ok(number_of(row, "capacity_bytes") == 32 * 701 &&
               json_is_null(json_object_get(row, "capacity_bytes_low")),
           "a model without replicas does not know how sure it is");
    json_decref(row);
    model->replica_count = REPLICAS;
    row = first_row(&query, model, "least_caches");
    const struct ft_interval expected =
        ft_interval_of(&(struct ft_evidence){.estimate = 32 * 701,
                                             .replicas = fitting->answers,
                                             .replica_count = REPLICAS,
                                             .alternatives = otherwise,
                                             .alternative_count = 2,
                                             .floor_relative = 0.02});
    tap_ok(expected.known && equal(number_of(row, "capacity_bytes_low"), expected.low) &&
               equal(number_of(row, "capacity_bytes_high"), expected.high) &&
               expected.low < fitting->answers[0] && expected.high > fitting->answers[REPLICAS - 1],
           "smallest cache 22432, %.0f to %.0f", expected.low, expected.high);
    json_decref(row);
}

/* 2,048 blocks hold until N = 292, in the replicas until 2048 / slope; capacities 5 % smaller and
 * larger say no more. */
static void check_sizes(struct fitting *fitting)
{
    static char name[] = "--cache";
    struct ft_level level;
    struct ft_query query = {
        .question = FT_ASK_SIZES, .form = FT_REPORT_JSON, .miss_ratio = 0.05, .within = 0.1};
    const struct ft_model *model = &fitting->small.model;
    for (int i = 0; i < REPLICAS; i++)
        fitting->answers[i] = ceil(2048 / slopes[i]) - 1;
    query.caches = routine_model_cache(&level, 2048);
    query.caches.name = level.name = name;
    json_t *row = first_row(&query, model, "ranges");
    const struct ft_interval expected = ft_interval_of(&(struct ft_evidence){
        .estimate = 292, .replicas = fitting->answers, .replica_count = REPLICAS});
    tap_ok(number_of(row, "last") == 292 && expected.known &&
               equal(number_of(row, "last_low"), expected.low) &&
               equal(number_of(row, "last_high"), expected.high) &&
               expected.low < fitting->answers[REPLICAS - 1],
           "95 %% hit up to N = 292, %.1f to %.1f", expected.low, expected.high);
    json_decref(row);
    query.question = FT_ASK_CRITICAL;
    row = first_row(&query, model, "critical_sizes");
    tap_ok(number_of(row, "first_after") == 293 &&
               fabs(number_of(row, "first_after_low") - expected.low - 1) < 1.5 &&
               fabs(number_of(row, "first_after_high") - expected.high - 1) < 1.5,
           "critical from 293 on, %.1f to %.1f", number_of(row, "first_after_low"),
           number_of(row, "first_after_high"));
    json_decref(row);
}

int main(void)
{
    struct fitting fitting;
    fitting_init(&fitting);
    check_smallest_cache(&fitting);
    check_sizes(&fitting);
    routine_models_free_bins();
    return tap_plan_done();
}
