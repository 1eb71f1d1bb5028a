/*
 * A synthesis in which the rows of some heap blocks are longer: addresses and strides that are
 * multiples of a row grow with it, and the allocator places blocks of their new sizes. Or in which
 * blocks begin some bytes later, each by other ones. What goes through a block as if it had no rows
 * touches as many bytes as before.
 */
#ifndef FT_PREDICT_EXPLAIN_PADDING_H
#define FT_PREDICT_EXPLAIN_PADDING_H

#include "fit/skeletons/synthesis.h"

struct ft_padding {
    const uint64_t *row_bytes; /* [block]; 0: it stays as it is */
    const uint64_t *pad_bytes; /* [block]: behind each row; without rows before the block */
};

/* Like the other one at the same size, but for the padding; to be freed as that. */
int ft_padded_synthesis_make(const struct ft_synthesis *synthesis, double size,
                             const struct ft_padding *padding, struct ft_synthesis *ret_padded,
                             struct ft_diag *diag);

/* What makes lines of a row start in other sets than those of the row before: so many bytes, less
 * than two lines. */
uint64_t ft_padding_for(uint64_t row_bytes, uint64_t line_bytes);

#endif
