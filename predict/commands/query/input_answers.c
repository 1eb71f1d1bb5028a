/*
 * Questions about inputs that stand for others, for given caches: the smallest size with the miss
 * ratios of a larger one, and the smallest inputs that show all miss ratios of all models.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "machines/commands/level_report.h"
#include "predict/commands/query/answer_curves.h"
#include "predict/commands/query/answer_interval.h"
#include "predict/query/mini_inputs.h"
#include "predict/query/miss_ratios.h"

/* ---- the smallest size that stands for another ---- */

/* sized: the size has an interval. */
static int input_columns(struct ft_answer *answer, const char *key, bool sized,
                         struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, key, NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    if (sized)
        ft_table_column(table, "input", "input", false);
    ft_table_column(table, "size", "size", true);
    if (sized)
        ft_interval_columns(answer, table, "size");
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "data", "data_bytes", true);
    ft_table_column(table, "accesses", "accesses", true);
    for (size_t i = 0; i < answer->query->caches.level_count; i++) {
        const struct ft_level *level = &answer->query->caches.levels[i];
        if (answer->as_text) {
            ft_table_column(table, level->name, level->name, true);
            ft_interval_columns(answer, table, level->name);
            continue;
        }
        ft_level_column(table, level, "miss_ratio");
        ft_level_column(table, level, "miss_ratio_low");
        ft_level_column(table, level, "miss_ratio_high");
    }
    return FT_OK;
}

/* One that stands for others: how it is called, and how sure its size is. */
struct input {
    const char *name;
    struct ft_interval interval;
};

/* The data that are touched at a size, in blocks of the first cache. */
static double data_bytes(const struct ft_miss_curve *curve, double n)
{
    const struct ft_model *model = curve->line.model;
    const uint64_t block_bytes = curve->caches->levels[0].block_bytes;
    const size_t size = ft_model_block_size(model, block_bytes);
    const struct ft_point at = ft_size_line_at(&curve->line, n);
    return (double)block_bytes * ft_function_at(&model->distinct_blocks[size], &at);
}

/* input: NULL where it has no columns. ret_ratios: the caller frees them. */
static int input_row(struct ft_answer *answer, const struct input *input,
                     const struct ft_query_point *size, const struct ft_miss_curve *curve,
                     struct ft_miss_ratios *ret_ratios, struct ft_diag *diag)
{
    const struct ft_model *model = curve->line.model;
    const enum ft_miss_metric metric = curve->reuse ? FT_REUSE_MISS_RATIO : FT_MISS_RATIO;
    struct ft_miss_ratios ratios;
    int status = ft_miss_ratios(model, curve->caches, curve->in_sets, size, &ratios, diag);
    if (status != FT_OK)
        return status;
    struct ft_table *table = ft_answer_row(answer, 0, model);
    if (input)
        ft_table_text(table, input->name);
    ft_answer_size(table, size->value);
    if (input)
        ft_interval_beside(answer, table, &input->interval, ft_text_size);
    ft_answer_extrapolation(table, model, size->value);
    ft_table_bytes(table, data_bytes(curve, size->value));
    ft_answer_estimate(answer, table, ratios.row[0], &ratios.intervals[0], true, ft_text_count);
    for (size_t i = 0; i < curve->caches->level_count; i++) {
        const struct ft_interval *interval = &ratios.intervals[ft_miss_column(i, metric)];
        ft_answer_estimate(answer, table, ratios.row[ft_miss_column(i, metric)], interval, true,
                           ft_text_ratio);
        ft_interval_cells(answer, table, interval, ft_text_ratio);
    }
    *ret_ratios = ratios;
    return FT_OK;
}

/* A size of the model's own parameter. */
static struct ft_query_point plain_size(double n)
{
    return (struct ft_query_point){.value = n, .asked = {.values = {n}}};
}

static int mini_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    FT_TRY(input_columns(answer, "mini_refs", true, diag));
    struct ft_table *table = ft_answer_table(answer, 1, "mini_ref_ratios", "ref / mini-ref:", diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "data", "data_bytes", true);
    ft_table_column(table, "accesses", "accesses", true);
    for (size_t i = 0; i < answer->query->caches.level_count; i++) {
        const struct ft_level *level = &answer->query->caches.levels[i];
        if (answer->as_text)
            ft_table_column(table, level->name, level->name, true);
        else
            ft_level_column(table, level, "miss_ratio");
    }
    return FT_OK;
}

static void add_ratio(struct ft_table *table, double ratio)
{
    char text[FT_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.3g", ratio);
    if (isfinite(ratio))
        ft_table_labelled(table, text, ratio);
    else
        ft_table_empty(table);
}

/* Empty where one of the two is unknown, or the second is 0. */
static void add_estimates(struct ft_table *table, const struct ft_miss_ratios ratios[2],
                          size_t column)
{
    const bool known = !ft_interval_is_refused(&ratios[0].intervals[column]) &&
                       !ft_interval_is_refused(&ratios[1].intervals[column]);
    add_ratio(table, known ? ratios[0].row[column] / ratios[1].row[column] : NAN);
}

/* By how much the reference is more. sizes, ratios: of the two. */
static void ratios_row(struct ft_answer *answer, const struct ft_miss_curve *curve,
                       const double sizes[2], const struct ft_miss_ratios ratios[2])
{
    const enum ft_miss_metric metric = curve->reuse ? FT_REUSE_MISS_RATIO : FT_MISS_RATIO;
    struct ft_table *table = ft_answer_row(answer, 1, curve->line.model);
    add_ratio(table, sizes[0] / sizes[1]);
    add_ratio(table, data_bytes(curve, sizes[0]) / data_bytes(curve, sizes[1]));
    add_estimates(table, ratios, 0);
    for (size_t i = 0; i < curve->caches->level_count; i++)
        add_estimates(table, ratios, ft_miss_column(i, metric));
}

struct mini_question {
    double reference, within;
};

static int ask_mini_ref(struct ft_miss_curve *curve, const void *context, double estimate,
                        double *ret_answer, struct ft_diag *diag)
{
    const struct mini_question *question = context;
    (void)estimate;
    return ft_mini_ref(curve, question->reference, question->within, ret_answer, diag);
}

/* The two rows, and how much more the reference is. curve: up to the reference. */
static int mini_answer(struct ft_answer *answer, const struct ft_query_point *reference,
                       struct ft_miss_curve *curve, const struct ft_variant_curves *variants,
                       struct ft_diag *diag)
{
    const struct mini_question question = {reference->value, answer->query->within};
    struct input given = {"ref", {.low = NAN, .high = NAN}}, mini = {"mini-ref", given.interval};
    struct ft_miss_ratios ratios[2] = {{NULL, NULL}, {NULL, NULL}};
    double smallest = 0;
    int status = input_row(answer, &given, reference, curve, &ratios[0], diag);
    if (status == FT_OK)
        status = ft_mini_ref(curve, question.reference, question.within, &smallest, diag);
    if (status == FT_OK)
        status = ft_answer_interval(variants, ask_mini_ref, &question, smallest, 0, &mini.interval,
                                    diag);
    const struct ft_query_point size = plain_size(smallest);
    if (status == FT_OK)
        status = input_row(answer, &mini, &size, curve, &ratios[1], diag);
    if (status == FT_OK)
        ratios_row(answer, curve, (const double[]){reference->value, smallest}, ratios);
    ft_miss_ratios_fini(&ratios[0]);
    ft_miss_ratios_fini(&ratios[1]);
    return status;
}

static int mini_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    const bool reuse = answer->query->reuse;
    struct ft_size_line line;
    struct ft_miss_curve curve = {0};
    struct ft_variant_curves variants = {0};
    struct ft_query_point reference;
    int status;
    FT_TRY(ft_query_size(model, "at", answer->query->at, &reference, diag));
    FT_TRY(ft_query_line(answer->query, model, &line, diag));
    line.from = fmin(line.from, reference.value);
    line.to = reference.value;
    FT_TRY_TO(done, status, ft_answer_curve(answer, &line, reuse, &curve, diag));
    FT_TRY_TO(done, status, ft_variant_curves(answer, &line, reuse, &variants, diag));
    status = mini_answer(answer, &reference, &curve, &variants, diag);
done:
    ft_variant_curves_fini(&variants);
    ft_miss_curve_fini(&curve);
    return status;
}

const struct ft_answer_maker ft_mini_ref_answers = {mini_columns, mini_rows, NULL, "mini_ref"};

/* ---- the smallest inputs that show all ratios ---- */

static int set_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    return input_columns(answer, "mini_set", false, diag);
}

static int print_set(struct ft_answer *answer, const struct ft_miss_curve *curves,
                     const struct ft_mini_set *set, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; i < set->count && status == FT_OK; i++) {
        const struct ft_query_point size = plain_size(set->inputs[i].sample[FT_SAMPLE_SIZE]);
        struct ft_miss_ratios ratios = {NULL, NULL};
        status = input_row(answer, NULL, &size, &curves[set->inputs[i].curve], &ratios, diag);
        ft_miss_ratios_fini(&ratios);
    }
    return status;
}

static int set_rows(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_miss_curve *curves = calloc(answer->model_count, sizeof *curves);
    struct ft_mini_set set = {0};
    int status = curves ? FT_OK : ft_fail_memory(diag, "a set of inputs");
    for (size_t i = 0; i < answer->model_count && status == FT_OK; i++) {
        struct ft_size_line line;
        status = ft_query_line(answer->query, &answer->models[i], &line, diag);
        if (status == FT_OK)
            status = ft_answer_curve(answer, &line, answer->query->reuse, &curves[i], diag);
    }
    if (status == FT_OK)
        status = ft_mini_set(curves, answer->model_count, answer->query->within, &set, diag);
    if (status == FT_OK)
        status = print_set(answer, curves, &set, diag);
    for (size_t i = 0; curves && i < answer->model_count; i++)
        ft_miss_curve_fini(&curves[i]);
    free(curves);
    ft_mini_set_fini(&set);
    return status;
}

const struct ft_answer_maker ft_mini_set_answers = {set_columns, NULL, set_rows, "mini_set"};
