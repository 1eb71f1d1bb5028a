#include "predict/metrics/misses.h"

#include "predict/metrics/miss_probability.h"

struct ft_miss_count ft_count_misses(const struct ft_forecast *forecast, uint64_t blocks,
                                     uint64_t ways, double scale,
                                     const struct ft_set_chances *chances)
{
    uint64_t whole_sets = blocks / ways;
    double sets = whole_sets > 1 ? scale * (double)whole_sets : 1;
    double set_ways = whole_sets > 1 ? (double)ways : scale * (double)ways;
    struct ft_miss_count misses = {ft_forecast_misses(forecast, scale * (double)blocks),
                                   forecast->cold};
    for (size_t i = 0; i < forecast->bin_count; i++) {
        const double distance = forecast->bins[i].distance_blocks;
        misses.set_associative += forecast->bins[i].touches *
                                  (chances ? ft_set_chance(chances, distance, FT_SET_CHANCE_MEAN)
                                           : ft_miss_probability(sets, set_ways, distance));
    }
    return misses;
}
