/*
 * For given caches: the sizes at which their miss ratios change, what they hold, and their largest
 * miss ratio.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "predict/commands/query/answer_curves.h"
#include "predict/commands/query/answer_interval.h"
#include "predict/query/critical_sizes.h"

#define FITS_RATIO  0.001 /* misses of reuse, of which the cache is said to hold the rest */
#define RATIO_FLOOR 0.02  /* relative: no interval of a ratio is narrower */

static int critical_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(
        answer, 0, "critical_sizes",
        "Critical sizes, where the reuse miss ratio jumps or climbs steeply:", diag);
    struct ft_table *levels =
        table ? ft_answer_table(answer, 1, "caches",
                                "What each cache holds, and its largest reuse miss ratio:", diag)
              : NULL;
    if (!levels)
        return FT_ERROR_MEMORY;
    ft_answer_cache_columns(answer, table);
    ft_table_column(table, "up to", "last_before", true);
    ft_table_column(table, "from", "first_after", true);
    ft_interval_columns(answer, table, "first_after");
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "before", "reuse_miss_ratio_before", true);
    ft_table_column(table, "after", "reuse_miss_ratio_after", true);
    ft_table_column(table, "mostly by", "scope", false);
    if (!answer->as_text) {
        ft_table_column(table, "file", "file", false);
        ft_table_column(table, "first_line", "first_line", true);
        ft_table_column(table, "last_line", "last_line", true);
    }
    ft_table_column(table, "share", "scope_share", true);
    ft_answer_known_column(answer, table);

    ft_answer_cache_columns(answer, levels);
    ft_table_column(levels, "data fit up to", "largest_fitting", true);
    ft_interval_columns(answer, levels, "largest_fitting");
    ft_table_column(levels, "reuse up to", "largest_reuse_fitting", true);
    ft_interval_columns(answer, levels, "largest_reuse_fitting");
    ft_table_column(levels, "largest reuse miss ratio", "largest_reuse_miss_ratio", true);
    ft_interval_columns(answer, levels, "largest_reuse_miss_ratio");
    ft_table_column(levels, "reached from", "threshold", true);
    ft_interval_columns(answer, levels, "threshold");
    ft_table_column(levels, "beyond training", "threshold_extrapolation", true);
    ft_table_column(levels, "T_s", "threshold_input", true);
    return FT_OK;
}

static const char *routine_of(const struct ft_scopes *scopes, uint32_t scope)
{
    return scopes->scopes[ft_scope_routine(scopes, scope)].name;
}

static void scope_cells(const struct ft_answer *answer, struct ft_table *table,
                        const struct ft_scopes *scopes, uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    const char *file = ft_file_name(scope->file);
    if (!answer->as_text) {
        ft_table_text(table, routine_of(scopes, index));
        ft_table_text(table, scope->file);
        ft_table_count(table, scope->first_line);
        ft_table_count(table, scope->last_line);
    } else if (scope->kind != FT_SCOPE_LOOP) {
        ft_table_text(table, scope->name);
    } else if (scope->first_line) {
        ft_table_format(table, "%s, loop at %s:%u-%u", routine_of(scopes, index), file,
                        scope->first_line, scope->last_line);
    } else {
        ft_table_format(table, "%s, %s", routine_of(scopes, index), scope->name);
    }
}

struct critical_question {
    size_t cache;
    bool rises;
};

/* The critical size next to the estimate in which the ratio changes the same way. */
static int ask_critical(struct ft_miss_curve *curve, const void *context, double estimate,
                        double *ret_answer, struct ft_diag *diag)
{
    const struct critical_question *question = context;
    struct ft_critical_size *sizes;
    size_t count;
    int status = ft_critical_sizes(curve, question->cache, &sizes, &count, diag);
    if (status != FT_OK)
        return status;
    *ret_answer = NAN;
    for (size_t i = 0; i < count; i++)
        if ((sizes[i].after > sizes[i].before) == question->rises)
            *ret_answer = ft_nearer_size(estimate, *ret_answer, sizes[i].first_after);
    free(sizes);
    return FT_OK;
}

static int critical_row(struct ft_answer *answer, struct ft_miss_curve *curve,
                        const struct ft_variant_curves *variants, size_t cache,
                        const struct ft_critical_size *size, double *sample, struct ft_diag *diag)
{
    const struct ft_model *model = curve->line.model;
    const struct critical_question question = {cache, size->after > size->before};
    struct ft_table *table = ft_answer_row(answer, 0, model);
    struct ft_interval interval;
    ft_answer_cache_cells(answer, table, &curve->caches->levels[cache]);
    int status = ft_answer_interval(variants, ask_critical, &question, size->first_after, 0,
                                    &interval, diag);
    if (status != FT_OK)
        return status;
    ft_answer_size(table, size->last_before);
    ft_answer_size(table, size->first_after);
    ft_interval_beside(answer, table, &interval, ft_text_size);
    ft_answer_extrapolation(table, model, size->first_after);
    status = ft_miss_curve_at(curve, size->first_after, sample, diag);
    bool known = ft_answer_knows_sample(curve, cache, sample);
    ft_table_share(table, size->before);
    ft_answer_ratio(answer, table, size->after, known);
    scope_cells(answer, table, &model->scopes, size->scope);
    ft_table_share(table, size->scope_share);
    ft_answer_known_cell(answer, table, known);
    return status;
}

static int critical_list(struct ft_answer *answer, struct ft_miss_curve *curve,
                         const struct ft_variant_curves *variants, size_t cache,
                         struct ft_diag *diag)
{
    struct ft_critical_size *sizes;
    size_t count;
    int status = ft_critical_sizes(curve, cache, &sizes, &count, diag);
    if (status != FT_OK)
        return status;
    double *sample = calloc(curve->width, sizeof *sample);
    if (!sample)
        status = ft_fail_memory(diag, "critical sizes");
    for (size_t i = 0; i < count && status == FT_OK; i++)
        status = critical_row(answer, curve, variants, cache, &sizes[i], sample, diag);
    free(sample);
    free(sizes);
    return status;
}

/* ---- what a cache holds, and the most that it misses ---- */

enum level_metric { FITTING, REUSE_FITTING, LARGEST_RATIO, THRESHOLD };

struct level_question {
    enum level_metric metric;
    size_t cache;
    double within;
};

/* One metric of a cache; NAN if there is none. */
static int find_metric(struct ft_miss_curve *curve, const struct level_question *question,
                       double *ret_value, struct ft_diag *diag)
{
    struct ft_size_range *ranges;
    struct ft_largest_ratio largest;
    size_t count;
    double fitting;
    int status = FT_OK;
    *ret_value = NAN;
    switch (question->metric) {
    case FITTING:
        if (ft_largest_fitting(curve, question->cache, &fitting))
            *ret_value = fitting;
        return FT_OK;
    case REUSE_FITTING:
        status = ft_holding_sizes(curve, question->cache, FITS_RATIO, &ranges, &count, diag);
        if (status == FT_OK && count > 0)
            *ret_value = ranges[0].last;
        if (status == FT_OK)
            free(ranges);
        return status;
    default:
        status = ft_largest_ratio(curve, question->cache, question->within, &largest, diag);
        if (status == FT_OK)
            *ret_value = question->metric == THRESHOLD ? largest.threshold : largest.ratio;
        return status;
    }
}

/* Of a variant; none at the end of the range asked about: it may hold beyond. */
static int ask_metric(struct ft_miss_curve *curve, const void *context, double estimate,
                      double *ret_answer, struct ft_diag *diag)
{
    const struct level_question *question = context;
    (void)estimate;
    int status = find_metric(curve, question, ret_answer, diag);
    if (question->metric != LARGEST_RATIO && *ret_answer >= curve->line.to)
        *ret_answer = NAN;
    return status;
}

/* A metric and its interval. A size that is the last one asked about has none. */
static int metric_cells(struct ft_answer *answer, struct ft_miss_curve *curve,
                        const struct ft_variant_curves *variants,
                        const struct level_question *question, double *ret_value,
                        struct ft_diag *diag)
{
    struct ft_table *table = answer->tables[1].table;
    const bool is_size = question->metric != LARGEST_RATIO;
    struct ft_interval interval = {.low = NAN, .high = NAN};
    char text[FT_NUMBER_TEXT];
    double value = NAN;
    int status = find_metric(curve, question, &value, diag);
    if (status == FT_OK && !isnan(value) && (!is_size || value < curve->line.to))
        status = ft_answer_interval(variants, ask_metric, question, value,
                                    is_size ? 0 : RATIO_FLOOR, &interval, diag);
    if (status != FT_OK)
        return status;
    if (isnan(value))
        ft_table_empty(table);
    else if (is_size)
        ft_answer_limit(table, curve, value);
    else
        ft_table_labelled(table, ft_text_ratio(text, value), value);
    ft_interval_beside(answer, table, &interval, is_size ? ft_text_size : ft_text_ratio);
    *ret_value = value;
    return FT_OK;
}

/* Zhong's T_s, of models in which each part has one of their patterns. */
static void threshold_input_cell(struct ft_table *table, const struct ft_miss_curve *curve,
                                 size_t cache)
{
    double threshold = NAN;
    const char *method = curve->line.model->method;
    if (method && strcmp(method, "patterns") == 0)
        threshold = ft_threshold_input(curve, cache);
    if (isfinite(threshold))
        ft_answer_size(table, threshold);
    else
        ft_table_empty(table);
}

static int level_row(struct ft_answer *answer, struct ft_miss_curve *curve,
                     const struct ft_variant_curves *variants, size_t cache, struct ft_diag *diag)
{
    const struct ft_model *model = curve->line.model;
    struct ft_table *table = ft_answer_row(answer, 1, model);
    double value = 0;
    int status = FT_OK;
    ft_answer_cache_cells(answer, table, &curve->caches->levels[cache]);
    for (int metric = FITTING; metric <= THRESHOLD && status == FT_OK; metric++) {
        const struct level_question question = {(enum level_metric)metric, cache,
                                                answer->query->within};
        status = metric_cells(answer, curve, variants, &question, &value, diag);
    }
    /* Reached only there: larger sizes may miss more. */
    if (status != FT_OK)
        return status;
    ft_answer_extrapolation(table, model, value);
    threshold_input_cell(table, curve, cache);
    return FT_OK;
}

static int critical_rows(struct ft_answer *answer, const struct ft_model *model,
                         struct ft_diag *diag)
{
    struct ft_size_line line;
    struct ft_miss_curve curve = {0};
    struct ft_variant_curves variants = {0};
    int status = ft_query_line(answer->query, model, &line, diag);
    if (status == FT_OK)
        status = ft_answer_curve(answer, &line, true, &curve, diag);
    if (status == FT_OK)
        status = ft_variant_curves(answer, &line, true, &variants, diag);
    for (size_t i = 0; i < answer->query->caches.level_count && status == FT_OK; i++) {
        status = critical_list(answer, &curve, &variants, i, diag);
        if (status == FT_OK)
            status = level_row(answer, &curve, &variants, i, diag);
    }
    ft_variant_curves_fini(&variants);
    ft_miss_curve_fini(&curve);
    return status;
}

const struct ft_answer_maker ft_critical_answers = {critical_columns, critical_rows, NULL,
                                                    "critical"};
