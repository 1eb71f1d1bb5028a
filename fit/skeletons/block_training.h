/*
 * What laws of heap blocks are learned from.
 */
#ifndef FT_FIT_SKELETONS_BLOCK_TRAINING_H
#define FT_FIT_SKELETONS_BLOCK_TRAINING_H

#include "formats/skeleton/sized_skeleton.h"

/* The training sizes, ascending. */
struct ft_block_training {
    const struct ft_skeleton *const *skeletons;
    const double *sizes;
    size_t count;
};
static inline const struct ft_block_events *
ft_block_training_events(const struct ft_block_training *training, size_t size)
{
    return &training->skeletons[size]->blocks;
}

#endif
