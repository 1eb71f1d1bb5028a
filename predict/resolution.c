/*
 * Two things are asked of a level, in blocks of its size:
 * 1. Did the data that grow fill FT_GROWING_BLOCKS of them in the largest training run? What is
 *    there at size 0 (libraries, stack) teaches nothing. Asked only where these data matter at n:
 *    they take a good part of the level, and all data together fill it. With so few blocks the
 *    footprint itself may be wrong by a factor of 2.
 * 2. Do many touches hang on distances that were only a few blocks? What grew from below
 *    FT_NEAR_BLOCKS to anywhere near the capacity may as well end on its other side.
 */
#include "predict/resolution.h"

#include <math.h>

#define MAY_BE_OFF   2.0   /* a factor for what is learned from few blocks */
#define GOOD_PART    0.125 /* of a level: growing data that matter */
#define NEAR_SHARE   0.05  /* of the misses: near touches that matter */
#define GROWS        1.05  /* ratio of distances that counts as growth */
#define SEARCH_STEP  1.02
#define SEARCH_REACH 1000.0 /* times the largest training size */

static double largest_size(const struct ft_model *model)
{
    return model->training[model->training_count - 1];
}

static double growing_at(const struct ft_function *footprint, double n)
{
    return fmax(ft_function_at(footprint, n) - fmax(footprint->coefficients[FT_BASIS_ONE], 0), 0);
}

void ft_resolution_add_group(struct ft_resolution *resolution, const struct ft_model *model,
                             size_t group, size_t block_size, const struct ft_level *level,
                             double n)
{
    const struct ft_model_histogram *histogram = &model->groups[group].histograms[block_size];
    double largest = largest_size(model);
    double capacity = (double)level->blocks;
    double limit = INFINITY; /* tails that cross are clamped as in an evaluation */
    for (size_t j = 0; j < histogram->bin_count && n > largest; j++) {
        const struct ft_model_bin *bin = &histogram->bins[j];
        double next = j + 1 < histogram->bin_count ? ft_function_at(&bin[1].tail, n) : 0;
        double before = ft_function_at(&bin->distance_blocks, largest);
        double at = ft_function_at(&bin->distance_blocks, n);
        limit = fmin(limit, ft_function_at(&bin->tail, n));
        if (before < FT_NEAR_BLOCKS && at > GROWS * before && at * MAY_BE_OFF >= capacity &&
            at < MAY_BE_OFF * capacity && limit > next) {
            resolution->near_touches += limit - next;
            resolution->near_distances += (limit - next) * before;
        }
    }
}

/* The first size whose growing data fill enough blocks, and whose near distances are near no
 * more, if they grow like the size; rounded up to two digits. */
static double find_better(const struct ft_resolution *resolution,
                          const struct ft_function *footprint, double largest)
{
    double n = largest;
    while (growing_at(footprint, n) < FT_GROWING_BLOCKS && n < SEARCH_REACH * largest)
        n *= SEARCH_STEP;
    if (resolution->near_touches > 0) {
        double mean = fmax(resolution->near_distances / resolution->near_touches, 1);
        n = fmax(n, largest * FT_NEAR_BLOCKS / mean);
    }
    double digit = pow(10, floor(log10(n)) - 1);
    return ceil(n / digit) * digit;
}

void ft_resolution_judge(struct ft_resolution *resolution, const struct ft_model *model,
                         size_t block_size, const struct ft_level *level, double n, double misses)
{
    const struct ft_function *footprint = &model->distinct_blocks[block_size];
    double largest = largest_size(model), capacity = (double)level->blocks;
    resolution->training_blocks = ft_function_at(footprint, largest);
    resolution->growing_blocks = growing_at(footprint, largest);
    bool few = resolution->growing_blocks < FT_GROWING_BLOCKS;
    bool matters = ft_function_at(footprint, n) * MAY_BE_OFF >= capacity &&
                   growing_at(footprint, n) >= GOOD_PART * capacity;
    bool near = resolution->near_touches > NEAR_SHARE * misses;
    resolution->resolved = n <= largest || (!(few && matters) && !near);
    if (!resolution->resolved)
        resolution->better_n = find_better(resolution, footprint, largest);
}
