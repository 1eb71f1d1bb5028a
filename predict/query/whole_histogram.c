/*
 * A touch at distance d hits from floor(d) + 1 blocks on, so the smallest cache follows from the
 * tail sums by bisection: they fall with distance.
 */
#include "predict/query/whole_histogram.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"

static int compare(const void *left, const void *right)
{
    const struct ft_forecast_bin *a = left, *b = right;
    return a->distance_blocks < b->distance_blocks ? -1 : a->distance_blocks > b->distance_blocks;
}

static int add_group(const struct ft_model *model, size_t group, size_t block_size,
                     const struct ft_point *at, struct ft_whole_histogram *whole,
                     struct ft_diag *diag)
{
    struct ft_forecast *all = &whole->all, *from = &whole->group;
    int status = ft_forecast_evaluate(model, group, block_size, at, from, diag);
    if (status != FT_OK)
        return status;
    if (!FT_RESERVE(all->bins, all->bin_capacity, all->bin_count + from->bin_count + 1))
        return ft_fail_memory(diag, "a forecast histogram");
    const double factor = whole->miss_scales ? whole->miss_scales[model->groups[group].scope] : 1;
    for (size_t i = 0; i < from->bin_count; i++) {
        struct ft_forecast_bin *bin = &all->bins[all->bin_count++];
        *bin = from->bins[i];
        bin->touches *= factor;
    }
    all->accesses += from->accesses;
    all->touches += factor * from->touches;
    all->cold += factor * from->cold;
    return FT_OK;
}

int ft_whole_evaluate(const struct ft_model *model, size_t block_size, const struct ft_point *at,
                      struct ft_whole_histogram *whole, struct ft_diag *diag)
{
    struct ft_forecast *all = &whole->all;
    int status = FT_OK;
    all->accesses = all->touches = all->cold = 0;
    all->bin_count = 0;
    for (size_t i = 0; i < model->group_count && status == FT_OK; i++)
        status = add_group(model, i, block_size, at, whole, diag);
    if (status != FT_OK)
        return status;
    if (!FT_RESERVE(whole->tails, whole->tail_capacity, all->bin_count + 1))
        return ft_fail_memory(diag, "a forecast histogram");
    if (all->bin_count > 0)
        qsort(all->bins, all->bin_count, sizeof *all->bins, compare);
    whole->tails[all->bin_count] = 0;
    for (size_t i = all->bin_count; i-- > 0;)
        whole->tails[i] = whole->tails[i + 1] + all->bins[i].touches;
    return FT_OK;
}

void ft_whole_fini(struct ft_whole_histogram *whole)
{
    ft_forecast_fini(&whole->all);
    ft_forecast_fini(&whole->group);
    free(whole->tails);
    *whole = (struct ft_whole_histogram){0};
}

double ft_whole_misses(const struct ft_whole_histogram *whole, double capacity_blocks)
{
    size_t low = 0, high = whole->all.bin_count; /* the first bin at the capacity or beyond */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (whole->all.bins[middle].distance_blocks >= capacity_blocks)
            high = middle;
        else
            low = middle + 1;
    }
    return whole->all.cold + whole->tails[low];
}

bool ft_whole_min_blocks(const struct ft_whole_histogram *whole, double misses, double *ret_blocks)
{
    size_t low = 0, high = whole->all.bin_count; /* the bins that must hit: all before it */
    if (whole->all.cold > misses)
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (whole->all.cold + whole->tails[middle] <= misses)
            high = middle;
        else
            low = middle + 1;
    }
    *ret_blocks = low > 0 ? floor(whole->all.bins[low - 1].distance_blocks) + 1 : 1;
    return true;
}

bool ft_whole_min_cache(const struct ft_whole_histogram *whole, double miss_ratio, bool reuse,
                        double *ret_blocks)
{
    double cold = reuse ? whole->all.cold : 0;
    return ft_whole_min_blocks(whole, cold + miss_ratio * (whole->all.accesses - cold), ret_blocks);
}
