/*
 * Questions about inputs that stand for others, for given caches: the smallest size with the miss
 * ratios of a larger one, and the smallest inputs that show all miss ratios of all models.
 */
#include <stdlib.h>

#include "machines/level_report.h"
#include "predict/query/answer_curves.h"
#include "predict/query/mini_ref.h"
#include "predict/query/mini_set.h"

/* ---- the smallest size that stands for another ---- */

static int input_columns(struct ft_answer *answer, const char *key, bool named,
                         struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, key, NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    if (named)
        ft_table_column(table, "input", "input", false);
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "accesses", "accesses", true);
    for (size_t i = 0; i < answer->query->caches.level_count; i++) {
        const struct ft_level *level = &answer->query->caches.levels[i];
        if (answer->people)
            ft_table_column(table, level->name, level->name, true);
        else
            ft_level_column(table, level, "miss_ratio");
    }
    return FT_OK;
}

/* input: what it is called, or NULL where that has no column. */
static void input_row(struct ft_answer *answer, const char *input,
                      const struct ft_miss_curve *curve, const double *sample)
{
    struct ft_table *table = ft_answer_row(answer, 0, curve->line.model);
    if (input)
        ft_table_text(table, input);
    ft_answer_size(table, sample[FT_SAMPLE_SIZE]);
    ft_answer_extrapolation(table, curve->line.model, sample[FT_SAMPLE_SIZE]);
    ft_table_count(table, sample[FT_SAMPLE_ACCESSES]);
    for (size_t i = 0; i < curve->caches->level_count; i++)
        ft_table_share(table, ft_miss_ratio(curve, sample, i));
}

static int mini_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    return input_columns(answer, "mini_refs", true, diag);
}

static int mini_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    struct ft_size_line line;
    struct ft_miss_curve curve = {0};
    double reference, smallest, *sample = NULL;
    int status = ft_query_value(model, "at", answer->query->at, &reference, diag);
    if (status == FT_OK)
        status = ft_query_line(answer->query, model, &line, diag);
    if (status == FT_OK && line.from > reference)
        line.from = reference;
    line.to = reference;
    if (status == FT_OK)
        status = ft_answer_curve(answer, &line, answer->query->reuse, &curve, diag);
    if (status == FT_OK && !(sample = calloc(curve.width, sizeof *sample)))
        status = ft_fail_memory(diag, "a reference");
    if (status == FT_OK)
        status = ft_miss_curve_at(&curve, reference, sample, diag);
    if (status == FT_OK) {
        input_row(answer, "ref", &curve, sample);
        status = ft_mini_ref(&curve, reference, answer->query->within, &smallest, diag);
    }
    if (status == FT_OK)
        status = ft_miss_curve_at(&curve, smallest, sample, diag);
    if (status == FT_OK)
        input_row(answer, "mini-ref", &curve, sample);
    free(sample);
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
                     const struct ft_mini_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        input_row(answer, NULL, &curves[set->inputs[i].curve], set->inputs[i].sample);
    return FT_OK;
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
        status = print_set(answer, curves, &set);
    for (size_t i = 0; curves && i < answer->model_count; i++)
        ft_miss_curve_fini(&curves[i]);
    free(curves);
    ft_mini_set_fini(&set);
    return status;
}

const struct ft_answer_maker ft_mini_set_answers = {set_columns, NULL, set_rows, "mini_set"};
