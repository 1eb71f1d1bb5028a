#include "fit/commands/tail_curve.h"

#include <math.h>

/* Touches at one distance. */
static void add_touches(struct ft_tail_curve *curve, double distance_blocks, double touches)
{
    double threshold = 0;
    for (size_t i = 0; i < FT_TAIL_STEPS && distance_blocks >= threshold; i++) {
        curve->tails[i] += touches;
        threshold = i == 0 ? 1 : 2 * threshold;
    }
}

void ft_tail_curve_add_measured(struct ft_tail_curve *curve, const struct ft_histogram *histogram)
{
    curve->cold += (double)histogram->cold;
    for (size_t j = 0; j < histogram->bin_count; j++) {
        const struct ft_bin *bin = &histogram->bins[j];
        add_touches(curve, (double)bin->distance_sum / (double)bin->count, (double)bin->count);
    }
}

void ft_tail_curve_add_forecast(struct ft_tail_curve *curve, const struct ft_forecast *forecast)
{
    curve->cold += forecast->cold;
    for (size_t j = 0; j < forecast->bin_count; j++)
        add_touches(curve, forecast->bins[j].distance_blocks, forecast->bins[j].touches);
}

void ft_tail_curve_add(struct ft_tail_curve *sum, const struct ft_tail_curve *curve)
{
    sum->cold += curve->cold;
    for (size_t i = 0; i < FT_TAIL_STEPS; i++)
        sum->tails[i] += curve->tails[i];
}

double ft_tail_curve_misses(const struct ft_tail_curve *curve, size_t i)
{
    return curve->cold + curve->tails[i];
}

double ft_tail_curve_error(const struct ft_tail_curve *predicted,
                           const struct ft_tail_curve *measured)
{
    double differences = 0, all = 0;
    for (size_t i = 0; i < FT_TAIL_STEPS; i++) {
        differences += fabs(ft_tail_curve_misses(predicted, i) - ft_tail_curve_misses(measured, i));
        all += ft_tail_curve_misses(measured, i);
    }
    return all > 0 ? differences / all : differences > 0 ? INFINITY : 0;
}

/* The share of the touches that lie from one threshold to the next. */
static double share_of(const struct ft_tail_curve *curve, size_t i)
{
    double next = i + 1 < FT_TAIL_STEPS ? curve->tails[i + 1] : 0;
    double all = curve->cold + curve->tails[0];
    return all > 0 ? (curve->tails[i] - next) / all : 0;
}

double ft_tail_curve_accuracy(const struct ft_tail_curve *predicted,
                              const struct ft_tail_curve *measured)
{
    double all[2] = {predicted->cold + predicted->tails[0], measured->cold + measured->tails[0]};
    if (!(all[0] > 0 && all[1] > 0))
        return all[0] > 0 || all[1] > 0 ? 0 : 1;
    double differences = fabs(predicted->cold / all[0] - measured->cold / all[1]);
    for (size_t i = 0; i < FT_TAIL_STEPS; i++)
        differences += fabs(share_of(predicted, i) - share_of(measured, i));
    return 1 - differences / 2;
}
