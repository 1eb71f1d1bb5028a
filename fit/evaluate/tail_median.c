#include "fit/evaluate/tail_median.h"

#include <math.h>

double ft_weighted_median(const double *values, const double *weights, size_t count)
{
    size_t order[FT_MEMBERS_MAX];
    double total = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && values[order[at - 1]] > values[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        total += weights[i];
    }
    for (size_t i = 0; i < count; i++) {
        below += weights[order[i]];
        double excess = below - total / 2;
        if (fabs(excess) <= 1e-12 * total && i + 1 < count)
            return (values[order[i]] + values[order[i + 1]]) / 2;
        if (excess > 0)
            return values[order[i]];
    }
    return count > 0 ? values[order[count - 1]] : 0;
}

static double median_tail(const struct ft_weighted_forecast *forecasts, size_t count)
{
    double tails[FT_MEMBERS_MAX], weights[FT_MEMBERS_MAX];
    for (size_t i = 0; i < count; i++) {
        tails[i] = forecasts[i].tail;
        weights[i] = forecasts[i].weight;
    }
    return ft_weighted_median(tails, weights, count);
}

/* The nearest distance that is still to come; infinite after the last. */
static double next_distance(const struct ft_weighted_forecast *forecasts, size_t count)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (forecasts[i].next < forecasts[i].bin_count)
            nearest = fmin(nearest, forecasts[i].bins[forecasts[i].next].distance_blocks);
    return nearest;
}

/* Takes the bins up to a distance from the tail; after the last bin nothing is left of it. */
static void pass(struct ft_weighted_forecast *forecast, double distance_blocks)
{
    for (; forecast->next < forecast->bin_count &&
           forecast->bins[forecast->next].distance_blocks <= distance_blocks;
         forecast->next++)
        forecast->tail -= forecast->bins[forecast->next].touches;
    if (forecast->next == forecast->bin_count)
        forecast->tail = 0;
}

size_t ft_tail_median(struct ft_weighted_forecast *forecasts, size_t count, double touches,
                      struct ft_forecast_bin *ret_bins)
{
    size_t bins = 0;
    double tail = touches, distance;
    for (size_t i = 0; i < count; i++) {
        forecasts[i].next = 0;
        forecasts[i].tail = touches;
    }
    while ((distance = next_distance(forecasts, count)) < INFINITY) {
        for (size_t i = 0; i < count; i++)
            pass(&forecasts[i], distance);
        double beyond = median_tail(forecasts, count);
        if (beyond < tail)
            ret_bins[bins++] = (struct ft_forecast_bin){distance, tail - beyond};
        tail = fmin(tail, beyond);
    }
    return bins;
}
