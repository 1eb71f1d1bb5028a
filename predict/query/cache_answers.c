/*
 * Questions about caches at one size: how much misses in given ones; and the least cache that has a
 * hit ratio.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/query/answer_interval.h"
#include "predict/query/whole_histogram.h"

#define CACHES_FLOOR 0.02 /* relative: no interval is narrower */

/* ---- ratios at a size ---- */

static int ratio_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "ratios", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_answer_cache_columns(answer, table);
    ft_table_column(table, "misses", "misses", true);
    ft_table_column(table, "of them first touches", "cold_misses", true);
    ft_table_column(table, "miss ratio", "miss_ratio", true);
    ft_table_column(table, "reuse miss ratio", "reuse_miss_ratio", true);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

static int ratio_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    const struct ft_machine *caches = &answer->query->caches;
    struct ft_size_line line = ft_size_line_of(model, 1);
    struct ft_miss_curve curve;
    double n;
    int status = ft_query_value(model, "at", answer->query->at, &n, diag);
    if (status != FT_OK)
        return status;
    ft_miss_curve_init(&curve, &line, caches, 1);
    curve.in_sets = answer->query->in_sets;
    double *sample = calloc(curve.width, sizeof *sample);
    status =
        sample ? ft_miss_curve_at(&curve, n, sample, diag) : ft_fail_memory(diag, "miss ratios");
    for (size_t i = 0; i < caches->level_count && status == FT_OK; i++) {
        struct ft_table *table = ft_answer_row(answer, 0, model);
        ft_answer_cache_cells(answer, table, &caches->levels[i]);
        ft_table_count(table, sample[FT_SAMPLE_MISSES + 2 * i]);
        ft_table_count(table, sample[FT_SAMPLE_MISSES + 2 * i + 1]);
        const bool known =
            ft_answer_knows(model, &caches->levels[i], n, sample[FT_SAMPLE_MISSES + 2 * i]);
        ft_answer_ratio(answer, table, ft_miss_ratio_of(sample, i, false), known);
        ft_answer_ratio(answer, table, ft_miss_ratio_of(sample, i, true), known);
        ft_answer_known_cell(answer, table, known);
    }
    free(sample);
    ft_miss_curve_fini(&curve);
    return status;
}

const struct ft_answer_maker ft_ratio_answers = {ratio_columns, ratio_rows, NULL, "ratio"};

/* ---- the least cache at a size ---- */

static int least_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "least_caches", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "least cache", "capacity_bytes", true);
    ft_table_column(table, "blocks", "blocks", true);
    ft_interval_columns(answer, table, "capacity_bytes");
    ft_table_column(table, "hit ratio", "hit_ratio", true);
    ft_table_column(table, "with a block less", "hit_ratio_before", true);
    ft_table_column(table, "at most", "largest_hit_ratio", true);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

static double hit_ratio(double misses, double cold, double accesses)
{
    return accesses > cold ? 1 - (misses - cold) / (accesses - cold) : 0;
}

/* The least cache of one block size at n. */
struct least_question {
    size_t size;
    double n, miss_ratio;
    bool reuse;
};

static int ask_least(const struct ft_model *model, size_t index, void *context, double estimate,
                     double *ret_answer, struct ft_diag *diag)
{
    const struct least_question *question = context;
    struct ft_whole_histogram whole = {0};
    const struct ft_point at = ft_point_at(&model->basis, &question->n);
    double blocks;
    int status = ft_whole_evaluate(model, question->size, &at, &whole, diag);
    (void)index;
    (void)estimate;
    if (status == FT_OK)
        *ret_answer = ft_whole_least_cache(&whole, question->miss_ratio, question->reuse, &blocks)
                          ? blocks * (double)model->block_bytes[question->size]
                          : NAN;
    ft_whole_fini(&whole);
    return status;
}

static int least_cells(struct ft_answer *answer, struct ft_table *table,
                       const struct ft_model *model, struct least_question *question,
                       const struct ft_whole_histogram *whole, double blocks, struct ft_diag *diag)
{
    const double accesses = whole->all.accesses, cold = question->reuse ? whole->all.cold : 0;
    const double bytes = blocks * (double)model->block_bytes[question->size];
    const double misses = ft_whole_misses(whole, blocks);
    const struct ft_level level = {.block_bytes = model->block_bytes[question->size],
                                   .blocks = (uint64_t)fmin(blocks, 0x1p62)};
    const bool known = ft_answer_knows(model, &level, question->n, misses);
    struct ft_interval interval;
    int status =
        ft_answer_interval(model, ask_least, question, bytes, CACHES_FLOOR, &interval, diag);
    if (status != FT_OK)
        return status;
    ft_table_bytes(table, bytes);
    ft_table_count(table, blocks);
    ft_interval_cells(answer, table, &interval, ft_table_bytes);
    ft_answer_ratio(answer, table, hit_ratio(misses, cold, accesses), known);
    if (blocks > 1)
        ft_table_share(table, hit_ratio(ft_whole_misses(whole, blocks - 1), cold, accesses));
    else
        ft_table_empty(table);
    ft_table_share(table, hit_ratio(whole->all.cold, cold, accesses));
    ft_answer_known_cell(answer, table, known);
    return FT_OK;
}

static int least_row(struct ft_answer *answer, const struct ft_model *model,
                     struct least_question *question, const struct ft_whole_histogram *whole,
                     struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_row(answer, 0, model);
    double blocks;
    ft_table_bytes(table, (double)model->block_bytes[question->size]);
    if (ft_whole_least_cache(whole, question->miss_ratio, question->reuse, &blocks))
        return least_cells(answer, table, model, question, whole, blocks, diag);
    for (int i = 0; i < 4; i++)
        ft_table_empty(table);
    ft_interval_no_cells(answer, table);
    ft_table_share(table, hit_ratio(whole->all.cold, question->reuse ? whole->all.cold : 0,
                                    whole->all.accesses));
    ft_answer_known_cell(answer, table, true);
    answer->note = "'-': no cache does, because first touches miss in all ('at most'; --reuse "
                   "leaves them out)";
    return FT_OK;
}

static int least_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    struct ft_size_line line = ft_size_line_of(model, 1);
    struct ft_whole_histogram whole = {0};
    double n;
    int status = ft_query_value(model, "at", answer->query->at, &n, diag);
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++) {
        const struct ft_point at = ft_size_line_at(&line, n);
        status = ft_whole_evaluate(model, size, &at, &whole, diag);
        struct least_question question = {size, n, answer->query->miss_ratio, answer->query->reuse};
        if (status == FT_OK)
            status = least_row(answer, model, &question, &whole, diag);
    }
    ft_whole_fini(&whole);
    return status;
}

const struct ft_answer_maker ft_least_cache_answers = {least_columns, least_rows, NULL,
                                                       "least_cache"};
