/*
 * A histogram at a point: each bin's tail is held within [0, the tail before it], the first one is
 * touches - cold; a bin gets its tail less the next one. Functions that cross each other far
 * outside the training range then shift touches between neighbouring bins, but never make or lose
 * any.
 */
#include "fit/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"

static void pool(struct ft_forecast_bin *into, const struct ft_forecast_bin *from)
{
    double touches = into->touches + from->touches;
    into->distance_blocks +=
        (from->distance_blocks - into->distance_blocks) * from->touches / touches;
    into->touches = touches;
}

/* Touches and cold ones. There are no more cold ones than touches; which of them is wrong where
 * they contradict each other? Touches that are exact are right. Else the cold ones are: together
 * with those of other groups they make the footprint. */
static void forecast_touches(const struct ft_model_histogram *histogram, bool all_cold,
                             double footprint, const struct ft_point *at,
                             struct ft_forecast *forecast)
{
    double touches = ft_function_at(&histogram->touches, at);
    double cold = fmin(ft_function_at(&histogram->cold, at), footprint);
    bool contradict = all_cold || cold > touches;
    forecast->touches = contradict && !histogram->touches.exact ? cold : touches;
    forecast->cold = contradict ? forecast->touches : cold;
}

int ft_forecast_evaluate(const struct ft_model *model, size_t group, size_t block_size,
                         const struct ft_point *at, struct ft_forecast *forecast,
                         struct ft_diag *diag)
{
    const struct ft_model_group *from = &model->groups[group];
    const struct ft_model_histogram *histogram = &from->histograms[block_size];
    const struct ft_model_member *member = histogram->members; /* the heaviest */
    size_t count = histogram->member_count > 0 ? member->bin_count : 0;
    if (!FT_RESERVE(forecast->bins, forecast->bin_capacity, count + 1))
        return ft_fail_memory(diag, "a forecast histogram");

    forecast->accesses = ft_function_at(&from->accesses, at);
    double footprint = ft_function_at(&model->distinct_blocks[block_size], at);
    forecast_touches(histogram, count == 0, footprint, at, forecast);

    /* The clamped tails, kept in the bins' touches for the moment. */
    struct ft_forecast_bin *bins = forecast->bins;
    double limit = forecast->touches - forecast->cold;
    for (size_t j = 0; j < count; j++) {
        if (j > 0)
            limit = fmin(limit, ft_function_at(&member->bins[j].tail, at));
        bins[j].touches = limit;
    }

    size_t kept = 0;
    for (size_t j = 0; j < count; j++) {
        double touches = bins[j].touches - (j + 1 < count ? bins[j + 1].touches : 0);
        if (touches <= 0)
            continue;
        double distance = ft_function_at(&member->bins[j].distance_blocks, at);
        bins[kept++] = (struct ft_forecast_bin){fmin(distance, footprint), touches};
        for (; kept > 1 && bins[kept - 1].distance_blocks <= bins[kept - 2].distance_blocks; kept--)
            pool(&bins[kept - 2], &bins[kept - 1]);
    }
    forecast->bin_count = kept;
    return FT_OK;
}

void ft_forecast_fini(struct ft_forecast *forecast)
{
    free(forecast->bins);
    *forecast = (struct ft_forecast){0};
}

double ft_forecast_misses(const struct ft_forecast *forecast, double capacity_blocks)
{
    double misses = forecast->cold;
    for (size_t j = 0; j < forecast->bin_count; j++)
        if (forecast->bins[j].distance_blocks >= capacity_blocks)
            misses += forecast->bins[j].touches;
    return misses;
}

void ft_scope_forecast_evaluate(const struct ft_model_scope_counts *counts,
                                const struct ft_point *at, struct ft_scope_forecast *ret_forecast)
{
    ret_forecast->instructions = ft_function_at(&counts->instructions, at);
    for (int class = 0; class < FT_MIX_COUNT; class ++)
        ret_forecast->mix[class] = ft_function_at(&counts->mix[class], at);
    ret_forecast->flops = ft_function_at(&counts->flops, at);
    ret_forecast->entries = ft_function_at(&counts->entries, at);
    ret_forecast->iterations = ft_function_at(&counts->iterations, at);
}

double ft_model_extrapolation(const struct ft_model *model, double n)
{
    double smallest = model->training[0];
    double largest = model->training[model->training_count - 1];
    return n > largest ? n / largest : n < smallest ? smallest / n : 1;
}
