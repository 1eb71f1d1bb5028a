/*
 * Whether the training runs determine what a level of a machine does at a larger size. Blocks may
 * be so large (pages, mostly) that the data of all training runs were in a few of them: distances
 * are integers of blocks, and 5, 6 and 7 of them do not show how they grow (docs/predict.md, "Too
 * few blocks"). Counts of touches and blocks are real numbers. Thread safe.
 */
#ifndef FT_PREDICT_RESOLUTION_H
#define FT_PREDICT_RESOLUTION_H

#include "fit/evaluate/evaluate.h"
#include "machines/machine.h"

#define FT_NEAR_BLOCKS 8.0 /* distances below are too rough to tell how they grow */

struct ft_resolution {
    double training_blocks; /* touched by the largest training run */
    double growing_blocks;  /* of them, those that come with the size: not there at size 0 */
    double near_touches;    /* at n: of distances that are near the capacity there, and were below
                               FT_NEAR_BLOCKS in the largest training run */
    double near_distances;  /* the sum of those distances */
    bool resolved;
    double better_n; /* if not: a training size from which on more is known */
};

/* Whether data of a size matter to a level: those that grow take a good part of it, and all of them
 * fill half of it. */
bool ft_resolution_matters(double footprint_blocks, double growing_blocks,
                           const struct ft_level *level);
/* Adds one group's near touches. block_size indexes model->block_bytes. */
void ft_resolution_add_group(struct ft_resolution *resolution, const struct ft_model *model,
                             size_t group, size_t block_size, const struct ft_level *level,
                             const struct ft_point *at);
/* Fills the rest. misses: what is forecast for the level, fully associative. Sizes within the
 * training range, and levels that the program at n is far from filling, are always resolved. */
void ft_resolution_judge(struct ft_resolution *resolution, const struct ft_model *model,
                         size_t block_size, const struct ft_level *level, const struct ft_point *at,
                         double misses);
/* All of it for one level, whose block size is in the model. */
struct ft_resolution ft_resolution_of(const struct ft_model *model, const struct ft_level *level,
                                      const struct ft_point *at, double misses);

#endif
