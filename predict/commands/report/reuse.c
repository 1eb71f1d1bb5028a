/*
 * Reuse distances at the size asked about: for each scope, by itself, how many of its touches miss
 * in a fully associative cache, over capacities.
 */
#include <stdlib.h>

#include "predict/commands/report/document.h"

void ft_page_find_capacities(const struct ft_page_task *task, size_t block_size,
                             struct ft_page_capacities *ret_capacities)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_model *model = prediction->model;
    ft_page_capacities_make(ft_function_at(&model->distinct_blocks[block_size], &prediction->at),
                            ret_capacities);
    for (size_t m = 0; m < task->forecasts->report_count; m++)
        ft_page_capacities_add(ret_capacities, ft_page_prediction(task, m)->machine,
                               model->block_bytes[block_size]);
}

/* ---- of scopes ---- */

static int add_groups(const struct ft_page_task *task, size_t block_size,
                      const struct ft_page_capacities *capacities, struct ft_page_reuse_rows *rows,
                      struct ft_diag *diag)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_model *model = prediction->model;
    struct ft_forecast forecast = {0};
    int status = FT_OK;
    for (size_t i = 0; i < model->group_count && status == FT_OK; i++) {
        status = ft_forecast_evaluate(model, i, block_size, &prediction->at, &forecast, diag);
        if (status == FT_OK)
            ft_page_reuse_add(rows, model->groups[i].scope, &forecast, capacities);
    }
    ft_forecast_fini(&forecast);
    return status;
}

int ft_page_reuse(const struct ft_page_task *task, size_t block_size, json_t **ret_reuse,
                  struct ft_diag *diag)
{
    const struct ft_model *model = ft_page_model(task);
    struct ft_page_capacities capacities;
    struct ft_page_reuse_rows rows;
    ft_page_find_capacities(task, block_size, &capacities);
    FT_TRY(ft_page_reuse_rows_init(&rows, &model->scopes, &capacities, diag));
    bool *is_shown = ft_page_shown_scopes(task);
    int status = is_shown ? add_groups(task, block_size, &capacities, &rows, diag)
                          : ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        *ret_reuse = ft_page_reuse_json(&rows, &model->scopes, is_shown,
                                        model->block_bytes[block_size], &capacities);
    free(is_shown);
    free(rows.items);
    return status;
}
