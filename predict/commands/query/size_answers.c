/*
 * For given caches and a hit ratio: the ranges of sizes in which it holds.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/commands/query/answer_curves.h"
#include "predict/commands/query/answer_interval.h"
#include "predict/query/critical_sizes.h"

static int sizes_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "ranges", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_answer_cache_columns(answer, table);
    ft_table_column(table, "holds from", "first", true);
    ft_table_column(table, "to", "last", true);
    ft_interval_columns(answer, table, "last");
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "hit ratio there", "hit_ratio", true);
    ft_table_column(table, "and of the next size", "next_hit_ratio", true);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

struct range_question {
    size_t cache;
    double miss_ratio;
};

/* The end of the range that ends next to the estimate; none where that is where the question ends:
 * it may hold beyond. */
static int ask_range(struct ft_miss_curve *curve, const void *context, double estimate,
                     double *ret_answer, struct ft_diag *diag)
{
    const struct range_question *question = context;
    struct ft_size_range *ranges;
    size_t count;
    int status =
        ft_holding_sizes(curve, question->cache, question->miss_ratio, &ranges, &count, diag);
    if (status != FT_OK)
        return status;
    *ret_answer = NAN;
    for (size_t i = 0; i < count; i++)
        *ret_answer = ft_nearer_size(estimate, *ret_answer, ranges[i].last);
    if (*ret_answer >= curve->line.to)
        *ret_answer = NAN;
    free(ranges);
    return FT_OK;
}

static int range_row(struct ft_answer *answer, struct ft_miss_curve *curve,
                     const struct ft_variant_curves *variants,
                     const struct range_question *question, const struct ft_size_range *range,
                     double *sample, struct ft_diag *diag)
{
    const struct ft_model *model = curve->line.model;
    struct ft_table *table = ft_answer_row(answer, 0, model);
    const size_t cache = question->cache;
    const bool ends = range->last < curve->line.to; /* nothing is known of what comes then */
    struct ft_interval interval = {.low = NAN, .high = NAN};
    int status = FT_OK;
    if (ends)
        status = ft_answer_interval(variants, ask_range, question, range->last, 0, &interval, diag);
    if (status != FT_OK)
        return status;
    ft_answer_cache_cells(answer, table, &curve->caches->levels[cache]);
    ft_answer_size(table, range->first);
    ft_answer_limit(table, curve, range->last);
    ft_interval_beside(answer, table, &interval, ft_text_size);
    ft_answer_extrapolation(table, model, range->last);
    status = ft_miss_curve_at(curve, range->last, sample, diag);
    bool known = ft_answer_knows_sample(curve, cache, sample);
    ft_answer_ratio(answer, table, 1 - ft_miss_ratio(curve, sample, cache), known);
    if (!ends) {
        ft_table_empty(table);
        ft_answer_known_cell(answer, table, known);
        return status;
    }
    double next = range->last + (curve->line.whole ? 1 : 1e-6 * range->last);
    if (status == FT_OK)
        status = ft_miss_curve_at(curve, next, sample, diag);
    bool next_known = ft_answer_knows_sample(curve, cache, sample);
    ft_answer_ratio(answer, table, 1 - ft_miss_ratio(curve, sample, cache), next_known);
    ft_answer_known_cell(answer, table, known && next_known);
    return status;
}

static int cache_ranges(struct ft_answer *answer, struct ft_miss_curve *curve,
                        const struct ft_variant_curves *variants,
                        const struct range_question *question, double *sample, struct ft_diag *diag)
{
    struct ft_size_range *ranges;
    size_t count;
    int status =
        ft_holding_sizes(curve, question->cache, question->miss_ratio, &ranges, &count, diag);
    if (status != FT_OK)
        return status;
    for (size_t i = 0; i < count && status == FT_OK; i++)
        status = range_row(answer, curve, variants, question, &ranges[i], sample, diag);
    if (count == 0) {
        struct ft_table *table = ft_answer_row(answer, 0, curve->line.model);
        ft_answer_cache_cells(answer, table, &curve->caches->levels[question->cache]);
        for (int i = 0; i < 2; i++)
            ft_table_empty(table);
        ft_interval_no_cells(answer, table);
        for (int i = answer->as_text ? 0 : -1; i < 3; i++)
            ft_table_empty(table);
        answer->note = "'-': at none of the sizes examined";
    }
    free(ranges);
    return status;
}

static int sizes_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    struct ft_size_line line;
    struct ft_miss_curve curve = {0};
    struct ft_variant_curves variants = {0};
    double *sample = NULL;
    int status = ft_query_line(answer->query, model, &line, diag);
    if (status == FT_OK)
        status = ft_answer_curve(answer, &line, answer->query->reuse, &curve, diag);
    if (status == FT_OK)
        status = ft_variant_curves(answer, &line, answer->query->reuse, &variants, diag);
    if (status == FT_OK && !(sample = calloc(curve.width, sizeof *sample)))
        status = ft_fail_memory(diag, "ranges of sizes");
    for (size_t i = 0; i < answer->query->caches.level_count && status == FT_OK; i++) {
        const struct range_question question = {i, answer->query->miss_ratio};
        status = cache_ranges(answer, &curve, &variants, &question, sample, diag);
    }
    ft_variant_curves_fini(&variants);
    free(sample);
    ft_miss_curve_fini(&curve);
    return status;
}

const struct ft_answer_maker ft_sizes_answers = {sizes_columns, sizes_rows, NULL, "sizes"};
