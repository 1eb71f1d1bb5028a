/*
 * Reuse distances at the size asked about: for each scope, by itself, how many of its touches miss
 * in a fully associative cache, over capacities that are so close together (STEPS an octave)
 * that bars between them show the histogram. The capacities of all machines are among them, so
 * that what the page says of these is exact.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/commands/report/document.h"

#define STEPS       4    /* capacities an octave */
#define MISSES_KEPT 1e-6 /* of all touches: scopes with fewer are left out */

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void add(struct ft_page_capacities *capacities, double blocks)
{
    if (capacities->count < FT_PAGE_CAPACITIES_MAX)
        capacities->blocks[capacities->count++] = blocks;
}

void ft_page_find_capacities(const struct ft_page_task *task, size_t block_size,
                             struct ft_page_capacities *ret_capacities)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_model *model = prediction->model;
    const double all = ft_function_at(&model->distinct_blocks[block_size], &prediction->at);
    struct ft_page_capacities found = {.count = 0};
    size_t kept = 0;
    for (int i = 0; i == 0 || exp2((double)(i - 1) / STEPS) < all; i++)
        add(&found, rint(exp2((double)i / STEPS)));
    for (size_t m = 0; m < task->forecasts->report_count; m++) {
        const struct ft_machine *machine = ft_page_prediction(task, m)->machine;
        for (size_t i = 0; i < machine->level_count; i++)
            if (machine->levels[i].block_bytes == model->block_bytes[block_size])
                add(&found, (double)machine->levels[i].blocks);
    }
    qsort(found.blocks, found.count, sizeof *found.blocks, compare);
    for (size_t i = 0; i < found.count; i++)
        if (kept == 0 || found.blocks[i] > found.blocks[kept - 1])
            found.blocks[kept++] = found.blocks[i];
    found.count = kept;
    *ret_capacities = found;
}

/* ---- of scopes ---- */

/* A row of a scope: touches, cold ones, then the misses of each capacity. */
struct rows {
    double *items;
    size_t width;
};

static int add_groups(const struct ft_page_task *task, size_t block_size,
                      const struct ft_page_capacities *capacities, struct rows *rows,
                      struct ft_diag *diag)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_model *model = prediction->model;
    struct ft_forecast forecast = {0};
    int status = FT_OK;
    for (size_t i = 0; i < model->group_count && status == FT_OK; i++) {
        double *row = rows->items + model->groups[i].scope * rows->width;
        status = ft_forecast_evaluate(model, i, block_size, &prediction->at, &forecast, diag);
        if (status != FT_OK)
            break;
        row[0] += forecast.touches;
        row[1] += forecast.cold;
        for (size_t k = 0; k < capacities->count; k++)
            row[2 + k] += ft_forecast_misses(&forecast, capacities->blocks[k]);
    }
    ft_forecast_fini(&forecast);
    return status;
}

/* Scopes that no forecast shows count to the nearest one around them that is shown. */
static void fold(const struct ft_page_task *task, struct rows *rows)
{
    const struct ft_scopes *scopes = &ft_page_model(task)->scopes;
    for (size_t i = scopes->scope_count; i-- > 1;) {
        if (ft_page_shows(task, (uint32_t)i))
            continue;
        for (size_t k = 0; k < rows->width; k++)
            rows->items[scopes->scopes[i].parent * rows->width + k] +=
                rows->items[i * rows->width + k];
        memset(rows->items + i * rows->width, 0, rows->width * sizeof *rows->items);
    }
}

json_t *ft_page_misses(const double *misses, size_t count)
{
    json_t *list = json_array();
    while (count > 1 && misses[count - 1] == misses[count - 2])
        count--;
    for (size_t k = 0; k < count; k++)
        ft_json_append(&list, ft_page_number(misses[k]));
    return list;
}

static json_t *scopes_json(const struct ft_page_task *task, const struct rows *rows)
{
    const struct ft_scopes *scopes = &ft_page_model(task)->scopes;
    double all = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < scopes->scope_count; i++)
        all += rows->items[i * rows->width];
    for (size_t i = 0; i < scopes->scope_count; i++) {
        const double *row = rows->items + i * rows->width;
        if (row[0] > MISSES_KEPT * all)
            ft_json_append(&list,
                           json_pack("{s:I, s:o, s:o, s:o}", "scope", (json_int_t)i, "touches",
                                     ft_page_number(row[0]), "cold", ft_page_number(row[1]),
                                     "misses", ft_page_misses(row + 2, rows->width - 2)));
    }
    return list;
}

int ft_page_reuse(const struct ft_page_task *task, size_t block_size, json_t **ret_reuse,
                  struct ft_diag *diag)
{
    const struct ft_model *model = ft_page_model(task);
    struct ft_page_capacities capacities;
    ft_page_find_capacities(task, block_size, &capacities);
    struct rows rows = {.width = 2 + capacities.count};
    rows.items = calloc((model->scopes.scope_count + 1) * rows.width, sizeof *rows.items);
    if (!rows.items)
        return ft_fail_memory(diag, "a report");
    int status = add_groups(task, block_size, &capacities, &rows, diag);
    if (status == FT_OK) {
        json_t *blocks = json_array();
        for (size_t i = 0; i < capacities.count; i++)
            ft_json_append(&blocks, ft_page_number(capacities.blocks[i]));
        fold(task, &rows);
        *ret_reuse =
            json_pack("{s:I, s:o, s:o}", "block_bytes", (json_int_t)model->block_bytes[block_size],
                      "capacity_blocks", blocks, "scopes", scopes_json(task, &rows));
    }
    free(rows.items);
    return status;
}
