/*
 * Miss ratios over all capacities at one size: CSV and JSON have a row for each block size and
 * capacity, text a table with block sizes side by side. The capacities are the caches of one
 * machine, so that each has its interval.
 */
#include <stdlib.h>

#include "predict/commands/query/miss_cells.h"
#include "predict/query/surface.h"

static int capacity_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(
        answer, 0, "capacities",
        answer->query->reuse ? "Reuse miss ratios by capacity:" : "Miss ratios by capacity:", diag);
    char title[FT_BLOCK_TITLE];
    if (!table)
        return FT_ERROR_MEMORY;
    if (answer->as_text) {
        ft_table_column(table, "capacity", "capacity_bytes", true);
        for (size_t i = 0; i < answer->models[0].size_count; i++) {
            ft_table_column(table, ft_answer_block_title(title, answer, i), title, true);
            ft_interval_columns(answer, table, title);
        }
        return FT_OK;
    }
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_answer_metric_columns(answer, table, FT_MISSES);
    ft_answer_metric_columns(answer, table, FT_MISS_RATIO);
    ft_answer_metric_columns(answer, table, FT_REUSE_MISS_RATIO);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

/* All capacities with all block sizes, and what misses in them. */
struct plane {
    const struct ft_model *model;
    double n;
    size_t capacity_count;
    struct ft_level *levels; /* [block size * capacity_count + capacity]; no smaller than a block */
    struct ft_machine machine;
    struct ft_miss_ratios ratios;
};

static int evaluate(struct plane *plane, const struct ft_query_point *size, struct ft_diag *diag)
{
    const struct ft_model *model = plane->model;
    plane->n = size->value;
    plane->capacity_count = ft_surface_capacities(model, plane->n);
    const size_t count = model->size_count * plane->capacity_count;
    plane->levels = calloc(count + 1, sizeof *plane->levels);
    if (!plane->levels)
        return ft_fail_memory(diag, "capacities");
    for (size_t i = 0; i < count; i++) {
        const uint64_t block = model->block_bytes[i / plane->capacity_count];
        const uint64_t blocks = (uint64_t)ft_surface_capacity(i % plane->capacity_count) / block;
        plane->levels[i] = (struct ft_level){.block_bytes = block,
                                             .blocks = blocks > 0 ? blocks : 1,
                                             .ways = blocks > 0 ? blocks : 1};
    }
    plane->machine =
        (struct ft_machine){.levels = plane->levels, .level_count = count, .cache_count = count};
    return ft_miss_ratios(model, &plane->machine, false, size, &plane->ratios, diag);
}

/* The cache of a block size and capacity; false where it would be smaller than a block. */
static bool find_cache(const struct plane *plane, size_t size, size_t capacity, size_t *ret_cache)
{
    *ret_cache = size * plane->capacity_count + capacity;
    return ft_surface_capacity(capacity) >= (double)plane->model->block_bytes[size];
}

static bool knows(const struct plane *plane, size_t cache)
{
    return ft_answer_knows(plane->model, &plane->levels[cache], plane->n,
                           plane->ratios.row[ft_miss_column(cache, FT_MISSES)]);
}

static void row_for_people(struct ft_answer *answer, const struct plane *plane, size_t capacity)
{
    const enum ft_miss_metric metric = answer->query->reuse ? FT_REUSE_MISS_RATIO : FT_MISS_RATIO;
    struct ft_table *table = ft_answer_row(answer, 0, plane->model);
    ft_table_bytes(table, ft_surface_capacity(capacity));
    for (size_t column = 0; column < answer->models[0].size_count; column++) {
        size_t size = ft_answer_block(answer, plane->model, column), cache;
        if (size < plane->model->size_count && find_cache(plane, size, capacity, &cache)) {
            ft_answer_metric_cells(answer, table, &plane->ratios, cache, metric,
                                   knows(plane, cache));
        } else {
            ft_table_empty(table);
            ft_interval_no_cells(answer, table);
        }
    }
}

static void row_for_programs(struct ft_answer *answer, const struct plane *plane, size_t size,
                             size_t capacity)
{
    size_t cache;
    if (!find_cache(plane, size, capacity, &cache))
        return;
    struct ft_table *table = ft_answer_row(answer, 0, plane->model);
    ft_table_bytes(table, (double)plane->model->block_bytes[size]);
    ft_table_bytes(table, ft_surface_capacity(capacity));
    ft_answer_metric_cells(answer, table, &plane->ratios, cache, FT_MISSES, true);
    ft_answer_metric_cells(answer, table, &plane->ratios, cache, FT_MISS_RATIO, true);
    ft_answer_metric_cells(answer, table, &plane->ratios, cache, FT_REUSE_MISS_RATIO, true);
    ft_answer_known_cell(answer, table, knows(plane, cache));
}

static void add_rows(struct ft_answer *answer, const struct plane *plane)
{
    for (size_t i = 0; i < plane->capacity_count && answer->as_text; i++)
        row_for_people(answer, plane, i);
    for (size_t size = 0; size < plane->model->size_count && !answer->as_text; size++)
        for (size_t i = 0; i < plane->capacity_count; i++)
            row_for_programs(answer, plane, size, i);
}

static int capacity_rows(struct ft_answer *answer, const struct ft_model *model,
                         struct ft_diag *diag)
{
    struct plane plane = {.model = model};
    struct ft_query_point at;
    int status = ft_query_size(model, "at", answer->query->at, &at, diag);
    if (status == FT_OK)
        status = evaluate(&plane, &at, diag);
    if (status == FT_OK && plane.ratios.row)
        add_rows(answer, &plane);
    ft_miss_ratios_fini(&plane.ratios);
    free(plane.levels);
    return status;
}

const struct ft_answer_maker ft_capacity_answers = {capacity_columns, capacity_rows, NULL,
                                                    "capacities"};
