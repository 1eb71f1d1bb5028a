/*
 * A model of nothing but its sizes: N = 10, 20, 40, 80 and 160, a footprint of 100 N blocks of 64
 * bytes, and a replica without each size. Tests of intervals say themselves what it computes. It
 * points into itself, so it is made in place.
 */
#ifndef FT_TESTS_SUPPORT_SIZED_MODEL_H
#define FT_TESTS_SUPPORT_SIZED_MODEL_H

#include "formats/model/model.h"

#define SIZED_MODEL_SIZES  5
#define SIZED_MODEL_BLOCKS 100.0 /* of the footprint, for each N */

struct sized_model {
    struct ft_model model, replicas[SIZED_MODEL_SIZES];
    double training[SIZED_MODEL_SIZES];
    uint64_t block_bytes;
    struct ft_function footprint;
};

void sized_model_init(struct sized_model *sized);

/* The replica's index; SIZED_MODEL_SIZES for another model. */
size_t sized_model_replica(const struct sized_model *sized, const struct ft_model *model);

#endif
