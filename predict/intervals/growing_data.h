/*
 * The data that come with the size, in blocks: a footprint less what is there at size 0, which is
 * libraries and the stack.
 */
#ifndef FT_PREDICT_INTERVALS_GROWING_DATA_H
#define FT_PREDICT_INTERVALS_GROWING_DATA_H

#include <math.h>

#include "formats/model/basis.h"

#define FT_GROWING_BLOCKS 32.0 /* fewer tell nothing of how distances grow */

static inline double ft_growing_blocks(const struct ft_function *footprint,
                                       const struct ft_point *at)
{
    return fmax(ft_function_at(footprint, at) - fmax(footprint->coefficients[0], 0), 0);
}

#endif
