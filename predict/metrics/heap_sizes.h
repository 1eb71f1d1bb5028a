/*
 * The heap at the training sizes and at a size, as the model of the allocator has it
 * (fit/skeletons/block_laws.h), and what a program touches by it. Laws of counts do not tell when
 * malloc begins to map blocks, or to give memory back: at the sizes of training arrays are often
 * too small for it.
 */
#ifndef FT_PREDICT_METRICS_HEAP_SIZES_H
#define FT_PREDICT_METRICS_HEAP_SIZES_H

#include "formats/model/model.h"
#include "formats/skeleton/places.h"

/* Blocks by ascending address. */
struct ft_heap {
    struct ft_placed_block *blocks;
    uint32_t block_count;
};
struct ft_heap_sizes {
    const struct ft_model *model;
    struct ft_heap *heaps; /* [training size], then at the size; NULL: not known */
};

/* Not known where the model has no laws of blocks for one size parameter, where blocks have no
 * places at the size, or where the largest training size has more of them than laws tell. */
int ft_heap_sizes_find(const struct ft_model *model, double size, struct ft_heap_sizes *ret_sizes,
                       struct ft_diag *diag);
void ft_heap_sizes_fini(struct ft_heap_sizes *sizes);

/* Distinct blocks of a level, a footprint, or pages: 95 % are between low and high. */
struct ft_heap_footprint {
    bool is_known;
    double low, value, high;
};
/* Of blocks of the model's block size `size` (ft_model_block_size). Known where what is not the
 * heap's is as much at all training sizes; calloc's memory that it need not clear is touched by the
 * share that was touched at these. */
int ft_heap_footprint_find(const struct ft_heap_sizes *sizes, size_t size,
                           struct ft_heap_footprint *ret_footprint, struct ft_diag *diag);

#endif
