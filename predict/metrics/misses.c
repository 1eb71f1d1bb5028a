#include "predict/metrics/misses.h"

struct ft_miss_count ft_count_misses(const struct ft_forecast *forecast,
                                     const struct ft_set_chances *chances)
{
    struct ft_miss_count misses = {ft_forecast_misses(forecast, chances->blocks), forecast->cold};
    for (size_t i = 0; i < forecast->bin_count; i++)
        misses.set_associative +=
            forecast->bins[i].touches *
            ft_set_chance(chances, forecast->bins[i].distance_blocks, FT_SET_SPREAD_EXPECTED);
    return misses;
}

void ft_forecast_of_histogram(const struct ft_histogram *histogram, struct ft_forecast *forecast)
{
    forecast->touches = (double)histogram->touches;
    forecast->cold = (double)histogram->cold;
    forecast->bin_count = histogram->bin_count;
    for (size_t i = 0; i < histogram->bin_count; i++) {
        const struct ft_bin *bin = &histogram->bins[i];
        forecast->bins[i] = (struct ft_forecast_bin){(double)bin->distance_sum / (double)bin->count,
                                                     (double)bin->count};
    }
}

struct ft_miss_count ft_count_histogram_misses(const struct ft_histogram *histogram,
                                               const struct ft_set_chances *chances)
{
    struct ft_forecast_bin bins[FT_BIN_COUNT];
    struct ft_forecast forecast = {.bins = bins};
    ft_forecast_of_histogram(histogram, &forecast);
    return ft_count_misses(&forecast, chances);
}
