#include "predict/intervals/footprint_gaps.h"

#include <math.h>

#define RATIO_MAX 4.0 /* of the sizes: new blocks fill larger ones less and less */

/* By how much a footprint grows from the largest training size to a point. */
static double growth(const struct ft_model *model, size_t size, const struct ft_point *at,
                     const struct ft_point *largest)
{
    const struct ft_function *blocks = &model->distinct_blocks[size];
    return ft_function_at(blocks, at) - ft_function_at(blocks, largest);
}

void ft_footprint_gaps(const struct ft_model *model, const struct ft_point *at, double *gaps)
{
    const struct ft_point largest = ft_model_largest(model);
    for (size_t size = 0; size < model->size_count; size++) {
        const double own = growth(model, size, at, &largest);
        gaps[size] = 0;
        for (size_t other = 0; other < model->size_count; other++) {
            const double ratio =
                (double)model->block_bytes[size] / (double)model->block_bytes[other];
            if (ratio > 1 && ratio <= RATIO_MAX)
                gaps[size] = fmax(gaps[size], growth(model, other, at, &largest) / ratio - own);
        }
    }
}
