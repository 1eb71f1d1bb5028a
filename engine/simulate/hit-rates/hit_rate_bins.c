#include "engine/simulate/hit-rates/hit_rate_bins.h"

#include <math.h>

static const double lower_ends[FT_HIT_RATE_BINS] = {0.99, 0.98, 0.96, 0.92, 0.84, 0.68, 0.36, 0};
const char *const ft_hit_rate_bin_names[FT_HIT_RATE_BINS] = {"99-100", "98-99", "96-98", "92-96",
                                                             "84-92",  "68-84", "36-68", "0-36"};

/* Published as [100,99), [99,98) ...: a bin holds its upper end. */
size_t ft_hit_rate_bin(double hit_rate)
{
    for (size_t i = 0; i < FT_HIT_RATE_BINS - 1; i++)
        if (hit_rate > lower_ends[i])
            return i;
    return FT_HIT_RATE_BINS - 1;
}

void ft_hit_rate_coverage_add(struct ft_hit_rate_coverage *coverage, const double *hit_rates,
                              size_t cache_count, double weight)
{
    const size_t first = ft_hit_rate_bin(hit_rates[0]),
                 second = ft_hit_rate_bin(hit_rates[cache_count > 1 ? 1 : 0]);
    coverage->counts[first][second]++;
    coverage->weights[first][second] += weight;
}

void ft_hit_rate_coverage_add_points(struct ft_hit_rate_coverage *coverage,
                                     const struct ft_bandwidth_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].hit_rate_count > 0)
            ft_hit_rate_coverage_add(coverage, points->items[i].hit_rates,
                                     points->items[i].hit_rate_count, 1);
}

void ft_hit_rate_coverage_add_trace(struct ft_hit_rate_coverage *coverage,
                                    const struct ft_simulated_trace *simulated, size_t cache_count)
{
    const size_t caches =
        cache_count < FT_BANDWIDTH_LEVELS_MAX ? cache_count : FT_BANDWIDTH_LEVELS_MAX;
    for (size_t b = 0; b < simulated->scopes.block_count; b++) {
        const double *row = simulated->blocks + b * simulated->width;
        double hit_rates[FT_BANDWIDTH_LEVELS_MAX];
        if (!(row[0] > 0))
            continue;
        for (size_t i = 0; i < caches; i++)
            hit_rates[i] = 1 - row[ft_simulated_set_assoc_column(i)] / row[0];
        ft_hit_rates_accumulate(hit_rates, caches);
        ft_hit_rate_coverage_add(coverage, hit_rates, caches, row[0]);
    }
}
