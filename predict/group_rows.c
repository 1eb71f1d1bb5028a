#include "predict/group_rows.h"

#include <math.h>

#include "predict/metrics/misses.h"
#include "predict/metrics/set_chances.h"

static int fill_row(const struct ft_prediction *prediction, const struct ft_set_chances *chances,
                    size_t group, struct ft_forecast *forecast, double *row, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    row[0] = fmax(ft_function_at(&model->groups[group].accesses, &prediction->at), 0);
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        const size_t size = ft_model_block_size(model, level->block_bytes);
        FT_TRY(ft_forecast_evaluate(model, group, size, &prediction->at, forecast, diag));
        row[1 + i] = ft_count_misses(forecast, &chances[i]).set_associative;
    }
    return FT_OK;
}

int ft_group_rows(const struct ft_prediction *prediction, double *ret_rows, struct ft_diag *diag)
{
    const size_t width = 1 + prediction->machine->level_count;
    struct ft_forecast forecast = {0};
    struct ft_set_chances *chances = NULL;
    int status = ft_level_chances(prediction->model, prediction->machine, NULL, &prediction->at,
                                  &chances, diag);
    for (size_t i = 0; i < prediction->model->group_count && status == FT_OK; i++)
        status = fill_row(prediction, chances, i, &forecast, ret_rows + i * width, diag);
    ft_forecast_fini(&forecast);
    ft_level_chances_free(chances, prediction->machine->level_count);
    return status;
}
