/*
 * Planes of the surface of capacity, size and miss ratio (Marin & Mellor-Crummey 2004, section 2.4;
 * Zhong et al. 2007, section 4.1): smallest caches over sizes for one hit ratio, and ratios over
 * sizes and capacities. Points have no intervals, which can be asked for at one size. CSV and JSON
 * have a row for each block size and point; text a table with block sizes or capacities side by
 * side, for the surface of one block size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/commands/query/answer.h"
#include "predict/query/surface.h"

#define STEPS_TEXT      16U
#define STEPS_DATA      48U
#define CAPACITIES_TEXT 12U

/* Calls for every size of the line, from small to large. */
typedef int visit_size(struct ft_answer *answer, struct ft_surface_cut *cut, struct ft_diag *diag);

static int visit_sizes(struct ft_answer *answer, const struct ft_model *model, visit_size *visit,
                       struct ft_diag *diag)
{
    const size_t steps = answer->as_text ? STEPS_TEXT : STEPS_DATA;
    struct ft_size_line line;
    struct ft_surface_cut cut;
    int status = ft_query_line(answer->query, model, &line, diag);
    if (status == FT_OK)
        status = ft_surface_cut_init(&cut, &line, diag);
    if (status != FT_OK)
        return status;
    double last = 0;
    for (size_t step = 0; step <= steps && status == FT_OK; step++) {
        double n = ft_size_step(&line, step, steps);
        if (n > last)
            status = ft_surface_cut_at(&cut, n, diag);
        if (n > last && status == FT_OK)
            status = visit(answer, &cut, diag);
        last = n;
    }
    ft_surface_cut_fini(&cut);
    return status;
}

static double ratio_of(const struct ft_answer *answer, const struct ft_surface_cut *cut,
                       size_t size, double bytes)
{
    return ft_surface_ratio(cut, size, bytes, answer->query->reuse);
}

/* Whether a ratio on the surface is known. */
static bool knows(const struct ft_surface_cut *cut, size_t size, double bytes)
{
    const uint64_t block = cut->line.model->block_bytes[size];
    const struct ft_level level = {.block_bytes = block, .blocks = (uint64_t)bytes / block};
    return ft_answer_knows(cut->line.model, &level, cut->n,
                           ft_whole_misses(&cut->wholes[size], (double)level.blocks));
}

/* Columns as text, one for each block size of the first model. */
static void block_columns(const struct ft_answer *answer, struct ft_table *table)
{
    char title[FT_BLOCK_TITLE];
    for (size_t i = 0; i < answer->models[0].size_count; i++)
        ft_table_column(table, ft_answer_block_title(title, answer, i), title, true);
}

/* ---- least caches over sizes ---- */

static int min_cache_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table =
        ft_answer_table(answer, 0, "least_caches", "The smallest caches that have it:", diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "beyond training", "extrapolation", true);
    if (answer->as_text) {
        block_columns(answer, table);
        return FT_OK;
    }
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "smallest cache", "capacity_bytes", true);
    ft_table_column(table, "at most", "largest_hit_ratio", true);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

/* Returns whether it is known. */
static bool min_cache_cell(struct ft_answer *answer, struct ft_table *table,
                           const struct ft_surface_cut *cut, size_t size)
{
    char text[FT_NUMBER_TEXT], guess[FT_NUMBER_TEXT + 2];
    double bytes;
    if (!ft_surface_min_cache(cut, size, answer->query->miss_ratio, answer->query->reuse, &bytes)) {
        ft_table_empty(table);
        return true;
    }
    bool known = knows(cut, size, bytes);
    snprintf(guess, sizeof guess, "%s%s", ft_text_bytes(text, bytes), known ? "" : " ?");
    ft_table_labelled(table, guess, bytes);
    answer->guesses |= !known;
    return known;
}

static int visit_min_caches(struct ft_answer *answer, struct ft_surface_cut *cut,
                            struct ft_diag *diag)
{
    const struct ft_model *model = cut->line.model;
    const size_t columns = answer->as_text ? answer->models[0].size_count : model->size_count;
    struct ft_table *table = NULL;
    (void)diag;
    for (size_t column = 0; column < columns; column++) {
        size_t size = answer->as_text ? ft_answer_block(answer, model, column) : column;
        if (!table || !answer->as_text) {
            table = ft_answer_row(answer, 0, model);
            ft_answer_size(table, cut->n);
            ft_answer_extrapolation(table, model, cut->n);
        }
        if (!answer->as_text)
            ft_table_bytes(table, (double)model->block_bytes[size]);
        bool known = true;
        if (size < model->size_count)
            known = min_cache_cell(answer, table, cut, size);
        else
            ft_table_empty(table);
        if (!answer->as_text)
            ft_table_share(table, 1 - ratio_of(answer, cut, size, INFINITY));
        ft_answer_known_cell(answer, table, known);
    }
    return FT_OK;
}

static int min_cache_rows(struct ft_answer *answer, const struct ft_model *model,
                          struct ft_diag *diag)
{
    return visit_sizes(answer, model, visit_min_caches, diag);
}

const struct ft_answer_maker ft_min_caches_answers = {min_cache_columns, min_cache_rows, NULL,
                                                      "least_caches"};

/* ---- the surface ---- */

/* The largest of the capacities that any model's data need, in the sizes asked about. */
static int count_capacities(const struct ft_answer *answer, size_t *ret_count, struct ft_diag *diag)
{
    size_t count_max = 0;
    for (size_t i = 0; i < answer->model_count; i++) {
        struct ft_size_line line;
        int status = ft_query_line(answer->query, &answer->models[i], &line, diag);
        if (status != FT_OK)
            return status;
        size_t count = ft_surface_capacities(&answer->models[i], line.to);
        count_max = count > count_max ? count : count_max;
    }
    *ret_count = count_max;
    return FT_OK;
}

/* As text every second or third capacity where there are many. */
static size_t capacity_step(size_t count)
{
    return (count + CAPACITIES_TEXT - 1) / CAPACITIES_TEXT;
}

static int surface_as_text(struct ft_answer *answer, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    size_t count;
    int status = count_capacities(answer, &count, diag);
    if (status != FT_OK)
        return status;
    struct ft_table *table =
        ft_answer_table(answer, 0, "surface",
                        answer->query->reuse ? "Reuse miss ratios by size and capacity:"
                                             : "Miss ratios by size and capacity:",
                        diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "block", "block_bytes", true);
    for (size_t i = 0; i < count; i += capacity_step(count)) {
        ft_text_bytes(text, ft_surface_capacity(i));
        ft_table_column(table, text, text, true);
    }
    return FT_OK;
}

static int surface_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    if (answer->as_text)
        return surface_as_text(answer, diag);
    struct ft_table *table = ft_answer_table(answer, 0, "surface", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "miss ratio", "miss_ratio", true);
    ft_table_column(table, "reuse miss ratio", "reuse_miss_ratio", true);
    ft_answer_known_column(answer, table);
    return FT_OK;
}

static struct ft_table *surface_row(struct ft_answer *answer, const struct ft_surface_cut *cut,
                                    size_t size)
{
    const struct ft_model *model = cut->line.model;
    struct ft_table *table = ft_answer_row(answer, 0, model);
    ft_answer_size(table, cut->n);
    ft_answer_extrapolation(table, model, cut->n);
    ft_table_bytes(table, (double)model->block_bytes[size]);
    return table;
}

static int visit_surface(struct ft_answer *answer, struct ft_surface_cut *cut, struct ft_diag *diag)
{
    const struct ft_model *model = cut->line.model;
    size_t count = 0;
    int status = count_capacities(answer, &count, diag);
    const size_t line = ft_query_block(answer->query, model);
    struct ft_table *table = NULL;
    if (status == FT_OK && answer->as_text)
        table = surface_row(answer, cut, line);
    for (size_t i = 0; i < count && table; i += capacity_step(count)) {
        if (ft_surface_capacity(i) >= (double)model->block_bytes[line])
            ft_answer_ratio(answer, table, ratio_of(answer, cut, line, ft_surface_capacity(i)),
                            knows(cut, line, ft_surface_capacity(i)));
        else
            ft_table_empty(table);
    }
    for (size_t size = 0; size < model->size_count && !answer->as_text && status == FT_OK; size++)
        for (size_t i = 0; i < count; i++) {
            const double bytes = ft_surface_capacity(i);
            if (bytes < (double)model->block_bytes[size])
                continue;
            table = surface_row(answer, cut, size);
            ft_table_bytes(table, bytes);
            ft_table_share(table, ft_surface_ratio(cut, size, bytes, false));
            ft_table_share(table, ft_surface_ratio(cut, size, bytes, true));
            ft_answer_known_cell(answer, table, knows(cut, size, bytes));
        }
    return status;
}

static int surface_rows(struct ft_answer *answer, const struct ft_model *model,
                        struct ft_diag *diag)
{
    return visit_sizes(answer, model, visit_surface, diag);
}

const struct ft_answer_maker ft_surface_answers = {surface_columns, surface_rows, NULL, "surface"};
