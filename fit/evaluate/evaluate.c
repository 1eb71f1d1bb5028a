/*
 * A histogram at a point, for each of its members: each bin's tail is clamped to [0, the tail
 * before it], that of the first is touches - cold; a bin gets its tail less the next one. Functions
 * that cross far outside the training range then shift touches between neighbouring bins, but never
 * create or lose any. With several members (of more than FT_MEMBERS_MAX the heaviest), the forecast
 * is the tails' weighted median (tail_median.h). Finally strides have their say
 * (stride_regimes.h).
 *
 * Where executions are known at more sizes than distances, a group touches as much more, at all
 * distances, as it makes accesses more than the training sizes alone tell: the histogram gives
 * shares, the counts what these are of (Marin & Mellor-Crummey 2004, section 2.3).
 */
#include "fit/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/evaluate/stride_regimes.h"
#include "formats/base/array.h"

#define FEW_BLOCKS 32.0
#define BLOCKS_MAX 2.0 /* that an access touches */

static void pool(struct ft_forecast_bin *into, const struct ft_forecast_bin *from)
{
    double touches = into->touches + from->touches;
    into->distance_blocks +=
        (from->distance_blocks - into->distance_blocks) * from->touches / touches;
    into->touches = touches;
}

/* A footprint is an integer; where it is a few large blocks, that matters. */
static double rounding(double footprint_blocks)
{
    bool few = footprint_blocks >= 0.5 && footprint_blocks < FEW_BLOCKS;
    return few ? round(footprint_blocks) / footprint_blocks : 1;
}

double ft_group_touch_scale(const struct ft_model *model, size_t group, const struct ft_point *at)
{
    const struct ft_model_group *from = &model->groups[group];
    if (model->counted.count == 0)
        return 1;
    const double traced = ft_function_at(&from->traced, at);
    const double accesses = ft_function_at(&from->accesses, at);
    return accesses <= 0 ? 0 : traced > 0 ? accesses / traced : 1;
}

/* Touches and cold ones. Cold ones cannot exceed touches; where they do, which is wrong? Exact
 * touches are right. Otherwise the cold ones are: together with those of other groups they make the
 * footprint. */
static void forecast_touches(const struct ft_model_histogram *histogram, bool all_cold,
                             double footprint, double scale, const struct ft_point *at,
                             struct ft_forecast *forecast)
{
    double touches = ft_function_at(&histogram->touches, at);
    if (scale != 1)
        touches = fmin(scale * touches, BLOCKS_MAX * forecast->accesses);
    double cold = fmin(ft_function_at(&histogram->cold, at), footprint) * rounding(footprint);
    bool contradict = all_cold || cold > touches;
    forecast->touches = contradict && !histogram->touches.exact ? cold : touches;
    forecast->cold = contradict ? forecast->touches : cold;
}

/* What a member's bins are kept within, after the scale. */
struct limits {
    double touches, footprint_blocks, scale;
    struct ft_stride_regime regime;
};

/* The j-th tail: where strides pass the size of a block, the share that they leave of it. */
static double tail_at(const struct ft_model_member *member, size_t j, const struct ft_point *at,
                      const struct ft_point *distance_at, const struct ft_stride_regime *regime)
{
    const double tail = ft_member_tail_at(member->bins, j, at);
    const bool is_cut = regime->tail_share < 1 &&
                        ft_member_distance_at(member->bins, j, distance_at) > regime->window;
    return is_cut ? tail * regime->tail_share : tail;
}

static size_t forecast_member(const struct ft_model_member *member, const struct ft_point *at,
                              const struct ft_point *data, const struct limits *limits,
                              struct ft_forecast_bin *bins)
{
    const struct ft_point *distance_at = member->over_data ? data : at;
    size_t count = ft_member_bins_count(member->bins), kept = 0;
    /* The clamped tails, kept in the bins' touches for the moment. */
    double limit = limits->touches;
    for (size_t j = 0; j < count; j++) {
        if (j > 0)
            limit =
                fmin(limit, limits->scale * tail_at(member, j, at, distance_at, &limits->regime));
        bins[j].touches = limit;
    }
    for (size_t j = 0; j < count; j++) {
        double share = bins[j].touches - (j + 1 < count ? bins[j + 1].touches : 0);
        if (share <= 0)
            continue;
        double distance = ft_member_distance_at(member->bins, j, distance_at);
        bins[kept++] = (struct ft_forecast_bin){fmin(distance, limits->footprint_blocks), share};
        for (; kept > 1 && bins[kept - 1].distance_blocks <= bins[kept - 2].distance_blocks; kept--)
            pool(&bins[kept - 2], &bins[kept - 1]);
    }
    return kept;
}

size_t ft_member_forecast(const struct ft_model_member *member, const struct ft_point *at,
                          const struct ft_point *data, double touches, double footprint_blocks,
                          struct ft_forecast_bin *ret_bins)
{
    const struct limits limits = {touches, footprint_blocks, 1, {.tail_share = 1}};
    return forecast_member(member, at, data, &limits, ret_bins);
}

/* Room in a forecast for the bins of all members, one after the other, and as many again. */
static int reserve(const struct ft_model_histogram *histogram, struct ft_forecast *forecast,
                   size_t *ret_bin_count, struct ft_diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < histogram->member_count; i++)
        count += ft_member_bins_count(histogram->members[i].bins);
    *ret_bin_count = count;
    return FT_RESERVE(forecast->bins, forecast->bin_capacity, 2 * count + 1)
               ? FT_OK
               : ft_fail_memory(diag, "a forecast histogram");
}

int ft_forecast_evaluate(const struct ft_model *model, size_t group, size_t block_size,
                         const struct ft_point *at, struct ft_forecast *forecast,
                         struct ft_diag *diag)
{
    const struct ft_model_group *from = &model->groups[group];
    const struct ft_model_histogram *histogram = &from->histograms[block_size];
    struct ft_weighted_forecast members[FT_MEMBERS_MAX];
    size_t count, member_count = 0;
    int status = reserve(histogram, forecast, &count, diag);
    if (status)
        return status;
    forecast->accesses = ft_function_at(&from->accesses, at);
    double footprint = ft_function_at(&model->distinct_blocks[block_size], at);
    const double scale = ft_group_touch_scale(model, group, at);
    forecast_touches(histogram, count == 0, footprint, scale, at, forecast);

    struct limits limits = {
        forecast->touches - forecast->cold, footprint, scale, {.tail_share = 1}};
    if (model->strides.bytes)
        limits.regime =
            ft_stride_regime_of(model, group, (double)model->block_bytes[block_size], at);
    struct ft_point data = {0};
    struct ft_forecast_bin *room = forecast->bins;
    for (size_t i = 0; i < histogram->member_count && member_count < FT_MEMBERS_MAX; i++) {
        const struct ft_model_member *member = &histogram->members[i];
        if (ft_member_bins_count(member->bins) == 0)
            continue; /* it saw nothing but cold touches */
        if (member->over_data)
            data = ft_model_data_point(model, at);
        members[member_count] = (struct ft_weighted_forecast){
            .weight = member->weight,
            .bins = room,
            .bin_count = forecast_member(member, at, &data, &limits, room)};
        room += members[member_count++].bin_count;
    }
    forecast->bin_count = member_count > 0 ? members[0].bin_count : 0;
    if (member_count > 1) {
        forecast->bin_count = ft_tail_median(members, member_count, limits.touches, room);
        memmove(forecast->bins, room, forecast->bin_count * sizeof *room);
    }
    ft_stride_regime_correct(&limits.regime, forecast);
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
    double farthest = n > largest ? n / largest : n < smallest ? smallest / n : 1;
    for (size_t i = 0; i < model->fixed_count; i++) {
        const struct ft_model_fixed *fixed = &model->fixed[i];
        farthest = fmax(farthest, fmax(fixed->value / fixed->largest, fixed->least / fixed->value));
    }
    return farthest;
}
