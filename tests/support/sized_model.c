#include "tests/support/sized_model.h"

#include <stdlib.h>

void sized_model_init(struct sized_model *sized)
{
    *sized = (struct sized_model){.training = {10, 20, 40, 80, 160}, .block_bytes = 64};
    struct ft_model *model = &sized->model;
    if (ft_basis_read(&model->basis, "N", "N", NULL) != FT_OK)
        abort();
    sized->footprint.coefficients[ft_basis_power(&model->basis, 1)] = SIZED_MODEL_BLOCKS;
    model->training = sized->training;
    model->training_count = SIZED_MODEL_SIZES;
    model->block_bytes = &sized->block_bytes;
    model->size_count = 1;
    model->distinct_blocks = &sized->footprint;
    for (size_t i = 0; i < SIZED_MODEL_SIZES; i++) {
        sized->replicas[i] = *model;
        sized->replicas[i].left_out = (uint64_t)1 << i;
    }
    model->replicas = sized->replicas;
    model->replica_count = SIZED_MODEL_SIZES;
}

size_t sized_model_replica(const struct sized_model *sized, const struct ft_model *model)
{
    for (size_t i = 0; i < SIZED_MODEL_SIZES; i++)
        if (model == &sized->replicas[i])
            return i;
    return SIZED_MODEL_SIZES;
}
