/*
 * Questions about caches at one size: misses in given ones, and the smallest cache that has a hit
 * ratio.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/commands/query/answer_interval.h"
#include "predict/commands/query/miss_cells.h"
#include "predict/query/min_caches.h"

/* ---- ratios at a size ---- */

static int ratio_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "ratios", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_answer_cache_columns(answer, table);
    ft_answer_metric_columns(answer, table, FT_MISSES);
    ft_answer_metric_columns(answer, table, FT_COLD_MISSES);
    ft_answer_metric_columns(answer, table, FT_MISS_RATIO);
    ft_answer_metric_columns(answer, table, FT_REUSE_MISS_RATIO);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

static int ratio_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    const struct ft_machine *caches = &answer->query->caches;
    struct ft_query_point size;
    struct ft_miss_ratios ratios;
    int status = ft_query_size(model, "at", answer->query->at, &size, diag);
    if (status == FT_OK)
        status = ft_miss_ratios(model, caches, answer->query->in_sets, &size, &ratios, diag);
    if (status != FT_OK)
        return status;
    for (size_t i = 0; i < caches->level_count; i++) {
        struct ft_table *table = ft_answer_row(answer, 0, model);
        const bool known = ft_answer_knows(model, &caches->levels[i], size.value,
                                           ratios.row[ft_miss_column(i, FT_MISSES)]);
        ft_answer_cache_cells(answer, table, &caches->levels[i]);
        ft_answer_metric_cells(answer, table, &ratios, i, FT_MISSES, true);
        ft_answer_metric_cells(answer, table, &ratios, i, FT_COLD_MISSES, true);
        ft_answer_metric_cells(answer, table, &ratios, i, FT_MISS_RATIO, known);
        ft_answer_metric_cells(answer, table, &ratios, i, FT_REUSE_MISS_RATIO, known);
        ft_answer_known_cell(answer, table, known);
    }
    ft_miss_ratios_fini(&ratios);
    return FT_OK;
}

const struct ft_answer_maker ft_ratio_answers = {ratio_columns, ratio_rows, NULL, "ratio"};

/* ---- the least cache at a size ---- */

static int min_cache_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "least_caches", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "smallest cache", "capacity_bytes", true);
    ft_table_column(table, "blocks", "blocks", true);
    ft_interval_columns(answer, table, "capacity_bytes");
    ft_table_column(table, "hit ratio", "hit_ratio", true);
    ft_table_column(table, "with one block less", "hit_ratio_before", true);
    ft_table_column(table, "at most", "largest_hit_ratio", true);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

static double hit_ratio(double misses, double cold, double accesses)
{
    return accesses > cold ? 1 - (misses - cold) / (accesses - cold) : 0;
}

static void min_cache_cells(struct ft_answer *answer, struct ft_table *table,
                            const struct ft_min_caches *found, size_t size)
{
    const struct ft_model *model = found->model;
    const struct ft_whole_histogram *whole = &found->wholes[size];
    const double accesses = whole->all.accesses, cold = found->reuse ? whole->all.cold : 0;
    const double bytes = found->row[1 + size];
    const double blocks = bytes / (double)model->block_bytes[size];
    const double misses = ft_whole_misses(whole, blocks);
    const struct ft_level level = {.block_bytes = model->block_bytes[size],
                                   .blocks = (uint64_t)fmin(blocks, 0x1p62)};
    const struct ft_interval *interval = &found->intervals[1 + size];
    const bool known = ft_answer_knows(model, &level, found->n, misses);
    ft_answer_estimate(answer, table, bytes, interval, true, ft_text_bytes);
    ft_answer_estimate(answer, table, blocks, interval, true, ft_text_count);
    ft_interval_cells(answer, table, interval, ft_text_bytes);
    ft_answer_ratio(answer, table, hit_ratio(misses, cold, accesses), known);
    if (blocks > 1)
        ft_table_share(table, hit_ratio(ft_whole_misses(whole, blocks - 1), cold, accesses));
    else
        ft_table_empty(table);
    ft_table_share(table, hit_ratio(whole->all.cold, cold, accesses));
    ft_answer_known_cell(answer, table, known);
}

static void min_cache_row(struct ft_answer *answer, const struct ft_min_caches *found, size_t size)
{
    struct ft_table *table = ft_answer_row(answer, 0, found->model);
    const struct ft_forecast *all = &found->wholes[size].all;
    ft_table_bytes(table, (double)found->model->block_bytes[size]);
    if (!isnan(found->row[1 + size])) {
        min_cache_cells(answer, table, found, size);
        return;
    }
    for (int i = 0; i < 2; i++)
        ft_table_empty(table);
    ft_interval_no_cells(answer, table);
    for (int i = 0; i < 2; i++)
        ft_table_empty(table);
    ft_table_share(table, hit_ratio(all->cold, found->reuse ? all->cold : 0, all->accesses));
    ft_answer_known_cell(answer, table, true);
    answer->note = "'-': no cache has that hit ratio, because first touches miss in all of "
                   "them ('at most'; --reuse leaves them out)";
}

static int min_cache_rows(struct ft_answer *answer, const struct ft_model *model,
                          struct ft_diag *diag)
{
    const struct ft_query *query = answer->query;
    struct ft_query_point at;
    struct ft_min_caches found;
    int status = ft_query_size(model, "at", query->at, &at, diag);
    if (status == FT_OK)
        status = ft_min_caches(model, query->miss_ratio, query->reuse, &at, &found, diag);
    if (status != FT_OK)
        return status;
    for (size_t size = 0; size < model->size_count; size++)
        min_cache_row(answer, &found, size);
    ft_min_caches_fini(&found);
    return FT_OK;
}

const struct ft_answer_maker ft_min_cache_answers = {min_cache_columns, min_cache_rows, NULL,
                                                     "least_cache"};
