/*
 * Two conditions are checked for a level, in blocks of its size:
 * 1. Did the data that grow fill FT_GROWING_BLOCKS of them in the largest training run? What is
 *    there at size 0 (libraries, stack) shows nothing. Checked only where these data matter at n:
 *    they take a good part of the level, and all data together fill it. With so few blocks the
 *    footprint itself may be wrong by a factor of 2.
 * 2. Do many touches depend on distances that were only a few blocks? What grew from below
 *    FT_NEAR_BLOCKS to anywhere near the capacity may as well end up on the other side of it.
 * Neither matters where the data surely fit: no more blocks are touched than smaller ones, whose
 * growth may be known.
 */
#include "predict/resolution.h"

#include <math.h>

#include "fit/evaluate/evaluate.h"
#include "predict/intervals/growing_data.h"

#define MAY_BE_OFF   2.0   /* a factor for what is learned from few blocks */
#define GOOD_PART    0.125 /* of a level: growing data that matter */
#define NEAR_SHARE   0.05  /* of the misses: near touches that matter */
#define GROWS        1.05  /* ratio of distances that counts as growth */
#define SEARCH_STEP  1.02
#define SEARCH_REACH 1000.0 /* times the largest training size */

void ft_resolution_add_group(struct ft_resolution *resolution, const struct ft_model *model,
                             size_t group, size_t block_size, const struct ft_level *level,
                             const struct ft_point *at)
{
    const struct ft_model_member *heaviest = model->groups[group].histograms[block_size].members;
    const struct ft_point largest = ft_model_largest(model);
    const bool beyond = at->parameters[0] > largest.parameters[0];
    double capacity = (double)level->blocks;
    const double scale = ft_group_touch_scale(model, group, at);
    double limit = INFINITY; /* tails that cross are clamped as in an evaluation */
    const size_t bins = ft_member_bins_count(heaviest->bins);
    for (size_t j = 0; j < bins && beyond; j++) {
        double next = j + 1 < bins ? ft_member_tail_at(heaviest->bins, j + 1, at) : 0;
        double before = ft_member_distance(model, heaviest, j, &largest);
        double there = ft_member_distance(model, heaviest, j, at);
        limit = fmin(limit, ft_member_tail_at(heaviest->bins, j, at));
        if (before < FT_NEAR_BLOCKS && there > GROWS * before && there * MAY_BE_OFF >= capacity &&
            there < MAY_BE_OFF * capacity && limit > next) {
            resolution->near_touches += scale * (limit - next);
            resolution->near_distances += scale * (limit - next) * before;
        }
    }
}

bool ft_resolution_matters(double footprint_blocks, double growing_blocks,
                           const struct ft_level *level)
{
    double capacity = (double)level->blocks;
    return footprint_blocks * MAY_BE_OFF >= capacity && growing_blocks >= GOOD_PART * capacity;
}

/* Whether the blocks of some smaller size, which grew from enough of them, are no more than the
 * level has. */
static bool surely_fits(const struct ft_model *model, size_t block_size,
                        const struct ft_level *level, const struct ft_point *at)
{
    const struct ft_point largest = ft_model_largest(model);
    for (size_t i = 0; i < model->size_count; i++) {
        const struct ft_function *footprint = &model->distinct_blocks[i];
        if (model->block_bytes[i] < model->block_bytes[block_size] &&
            ft_growing_blocks(footprint, &largest) >= FT_GROWING_BLOCKS &&
            ft_function_at(footprint, at) <= (double)level->blocks)
            return true;
    }
    return false;
}

/* The first size whose growing data fill enough blocks, and whose near distances are near no
 * more, if they grow like the size; rounded up to two digits. */
static double find_better(const struct ft_resolution *resolution, const struct ft_model *model,
                          size_t block_size)
{
    const struct ft_function *footprint = &model->distinct_blocks[block_size];
    struct ft_point at = ft_model_largest(model);
    const double largest = at.parameters[0];
    double n = largest;
    while (ft_growing_blocks(footprint, &at) < FT_GROWING_BLOCKS && n < SEARCH_REACH * largest) {
        n *= SEARCH_STEP;
        at = ft_point_at(&model->basis, &n);
    }
    if (resolution->near_touches > 0) {
        double mean = fmax(resolution->near_distances / resolution->near_touches, 1);
        n = fmax(n, largest * FT_NEAR_BLOCKS / mean);
    }
    double digit = pow(10, floor(log10(n)) - 1);
    return ceil(n / digit) * digit;
}

void ft_resolution_judge(struct ft_resolution *resolution, const struct ft_model *model,
                         size_t block_size, const struct ft_level *level, const struct ft_point *at,
                         double misses)
{
    const struct ft_function *footprint = &model->distinct_blocks[block_size];
    const struct ft_point largest = ft_model_largest(model);
    resolution->training_blocks = ft_function_at(footprint, &largest);
    resolution->growing_blocks = ft_growing_blocks(footprint, &largest);
    bool few = resolution->growing_blocks < FT_GROWING_BLOCKS;
    bool matters = ft_resolution_matters(ft_function_at(footprint, at),
                                         ft_growing_blocks(footprint, at), level);
    bool near = resolution->near_touches > NEAR_SHARE * misses;
    bool inside = at->parameters[0] <= largest.parameters[0];
    resolution->resolved =
        inside || (!(few && matters) && !near) || surely_fits(model, block_size, level, at);
    if (!resolution->resolved)
        resolution->better_n = find_better(resolution, model, block_size);
}

struct ft_resolution ft_resolution_of(const struct ft_model *model, const struct ft_level *level,
                                      const struct ft_point *at, double misses)
{
    struct ft_resolution resolution = {0};
    const size_t size = ft_model_block_size(model, level->block_bytes);
    for (size_t i = 0; i < model->group_count; i++)
        ft_resolution_add_group(&resolution, model, i, size, level, at);
    ft_resolution_judge(&resolution, model, size, level, at, misses);
    return resolution;
}
