/*
 * Between two touches of a block lie distance other blocks. Of these the group's own walk is the
 * largest part of its nest that fits in: it fills sets as set_occupancy.h counts. The others fall
 * into sets at random. A block misses if its set gets as many as it has ways.
 *
 * At best all blocks in between spread evenly, as a walk through consecutive blocks does, whosoever
 * touches them; so this does not depend on the group's own strides: n blocks
 * in S sets of k ways miss none up to n = k S, and all from (k + 1) S on.
 */
#include "predict/metrics/set_conflicts.h"

#include <math.h>

#include "predict/metrics/miss_probability.h"

#define MATTERS 0.1
#define SLACK   1.05 /* distances are means, and the walk's own block is not in between */

static double even_probability(double sets, double ways, double blocks)
{
    return fmin(fmax((blocks - ways * sets) * (ways + 1) / blocks, 0), 1);
}

/* By the walk that the distance has room for; NAN where it has for none. */
static double walk_probability(const struct ft_set_occupancy *occupancy,
                               const struct ft_set_chances *chances, double distance)
{
    const struct ft_set_walk *walk = NULL;
    double probability = 0;
    for (size_t i = 0; i < occupancy->walk_count; i++)
        if (occupancy->walks[i].blocks <= SLACK * (distance + 1))
            walk = &occupancy->walks[i];
    if (!walk)
        return NAN;
    const double others = fmax(distance + 1 - walk->blocks, 0);
    const double ways = chances->ways;
    for (size_t own = 1; own < (size_t)ways + 2; own++) {
        const double left = ways - (double)(own - 1);
        if (walk->shares[own] > 0)
            probability += walk->shares[own] *
                           (own == 1    ? ft_set_chance(chances, distance, FT_SET_SPREAD_WORST)
                            : left <= 0 ? 1
                                        : ft_miss_probability(chances->sets, left, others));
    }
    return probability;
}

/* Whether sets matter to any bin: nearer ones always hit, farther ones always miss. */
static bool has_bins_between(const struct ft_forecast *forecast, const struct ft_level *level)
{
    for (size_t i = 0; i < forecast->bin_count; i++)
        if (forecast->bins[i].distance_blocks >= (double)level->ways &&
            forecast->bins[i].distance_blocks < 2 * (double)level->blocks)
            return true;
    return false;
}

int ft_set_conflict_misses(const struct ft_model *model, size_t group, const struct ft_level *level,
                           const struct ft_point *at, const struct ft_forecast *forecast,
                           const struct ft_set_chances *chances, enum ft_set_spread spread,
                           double *ret_misses, struct ft_diag *diag)
{
    const uint64_t set_count = level->blocks / level->ways;
    const double sets = (double)set_count, ways = (double)level->ways;
    struct ft_set_occupancy occupancy = {.walk_count = 0};
    double misses = forecast->cold;
    if (spread == FT_SET_SPREAD_WORST && sets > 1 && has_bins_between(forecast, level))
        FT_TRY(ft_set_occupancy_init(&occupancy, model, group, level, at, diag));
    for (size_t i = 0; i < forecast->bin_count; i++) {
        const double distance = forecast->bins[i].distance_blocks;
        double probability = ft_set_chance(chances, distance, spread);
        if (spread == FT_SET_SPREAD_WORST && occupancy.walk_count > 0 && distance >= ways) {
            const double by_walk = walk_probability(&occupancy, chances, distance);
            probability = fmax(probability, isnan(by_walk) ? 0 : by_walk);
        } else if (spread == FT_SET_SPREAD_BEST && sets > 1 && distance >= ways) {
            probability = fmin(probability, even_probability(sets, ways, distance + 1));
        }
        misses += forecast->bins[i].touches * probability;
    }
    ft_set_occupancy_fini(&occupancy);
    *ret_misses = misses;
    return FT_OK;
}

/* ---- the worst ---- */

/* The smallest share of the sets that a walk of several blocks reaches. */
static void describe(const struct ft_set_occupancy *occupancy, struct ft_set_conflict *conflict)
{
    double crowding = 0;
    conflict->stride_bytes = occupancy->stride_bytes;
    for (size_t i = 0; i < occupancy->walk_count; i++) {
        const struct ft_set_walk *walk = &occupancy->walks[i];
        if (walk->blocks / walk->sets_reached > crowding) {
            crowding = walk->blocks / walk->sets_reached;
            conflict->sets_reached = walk->sets_reached;
        }
    }
}

int ft_set_conflict_find(const struct ft_model *model, size_t block_size,
                         const struct ft_level *level, const struct ft_point *at,
                         struct ft_set_conflict *ret_conflict, struct ft_diag *diag)
{
    struct ft_set_conflict conflict = {.added = 0};
    struct ft_forecast forecast = {0};
    struct ft_set_chances chances;
    int status = ft_set_chances_init(&chances, model, level, 1, at, diag);
    for (size_t i = 0; i < model->group_count && status == FT_OK; i++) {
        double expected = 0, worst = 0;
        status = ft_forecast_evaluate(model, i, block_size, at, &forecast, diag);
        if (status == FT_OK)
            status = ft_set_conflict_misses(model, i, level, at, &forecast, &chances,
                                            FT_SET_SPREAD_EXPECTED, &expected, diag);
        if (status == FT_OK)
            status = ft_set_conflict_misses(model, i, level, at, &forecast, &chances,
                                            FT_SET_SPREAD_WORST, &worst, diag);
        conflict.expected += expected;
        conflict.worst += worst;
        if (worst - expected > conflict.added) {
            conflict.added = worst - expected;
            conflict.group = i;
        }
    }
    ft_forecast_fini(&forecast);
    ft_set_chances_fini(&chances);
    if (status == FT_OK && conflict.added > 0) {
        struct ft_set_occupancy occupancy;
        status = ft_set_occupancy_init(&occupancy, model, conflict.group, level, at, diag);
        if (status == FT_OK)
            describe(&occupancy, &conflict);
        ft_set_occupancy_fini(&occupancy);
    }
    *ret_conflict = conflict;
    return status;
}

bool ft_set_conflict_matters(const struct ft_set_conflict *conflict)
{
    return conflict->added > MATTERS * conflict->expected && conflict->added > 1;
}
