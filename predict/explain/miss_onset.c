#include "predict/explain/miss_onset.h"

#include <math.h>

#include "fit/evaluate/evaluate.h"
#include "predict/query/size_line.h"

#define SOME 1e-4 /* misses per access: fewer are none */

struct asking {
    const struct ft_model *model;
    uint32_t scope, line;
    size_t block_size;
    double capacity_blocks;
    struct ft_size_line sizes;
    struct ft_forecast *forecast;
};

/* Misses per access at a size, beyond first touches. */
static int ratio_at(const struct asking *asking, double size, double *ret_ratio,
                    struct ft_diag *diag)
{
    const struct ft_point at = ft_size_line_at(&asking->sizes, size);
    double misses = 0, touches = 0;
    for (size_t i = 0; i < asking->model->group_count; i++) {
        const struct ft_model_group *group = &asking->model->groups[i];
        if (group->scope != asking->scope || (asking->line && group->line != asking->line))
            continue;
        FT_TRY(ft_forecast_evaluate(asking->model, i, asking->block_size, &at, asking->forecast,
                                    diag));
        misses +=
            ft_forecast_misses(asking->forecast, asking->capacity_blocks) - asking->forecast->cold;
        touches += asking->forecast->touches;
    }
    *ret_ratio = touches > 0 ? misses / touches : 0;
    return FT_OK;
}

/* The smallest size from which on the ratio is half of that at the largest. */
static int search(const struct asking *asking, double size, double *ret_size, struct ft_diag *diag)
{
    double low = asking->sizes.from, high = size, middle, at_low, at_size, ratio;
    *ret_size = NAN;
    FT_TRY(ratio_at(asking, low, &at_low, diag));
    FT_TRY(ratio_at(asking, size, &at_size, diag));
    if (at_size < SOME || at_low >= at_size / 2 || low >= size)
        return FT_OK;
    while (ft_size_between(&asking->sizes, low, high, &middle)) {
        FT_TRY(ratio_at(asking, middle, &ratio, diag));
        *(ratio >= at_size / 2 ? &high : &low) = middle;
    }
    *ret_size = high;
    return FT_OK;
}

int ft_miss_onset(const struct ft_model *model, uint32_t scope, uint32_t line,
                  const struct ft_level *level, double size, double *ret_size, struct ft_diag *diag)
{
    struct ft_forecast forecast = {0};
    struct asking asking = {model,
                            scope,
                            line,
                            ft_model_block_size(model, level->block_bytes),
                            (double)level->blocks,
                            ft_size_line_of(model, 1),
                            &forecast};
    asking.sizes.to = fmax(size, asking.sizes.to);
    int status = search(&asking, size, ret_size, diag);
    ft_forecast_fini(&forecast);
    return status;
}
