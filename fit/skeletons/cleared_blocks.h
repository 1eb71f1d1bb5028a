/*
 * What calloc clears of its blocks at a size. It leaves out what comes from the kernel, all of a
 * mapping of its own and what the heap has grown by, so that no law of the size tells how much that
 * is; the model of the allocator (allocator.h) does.
 */
#ifndef FT_FIT_SKELETONS_CLEARED_BLOCKS_H
#define FT_FIT_SKELETONS_CLEARED_BLOCKS_H

#include "formats/skeleton/sized_skeleton.h"

/* Blocks that are smaller than this are not looked at. */
#define FT_CLEARED_BYTES_MIN UINT64_C(4096)

/* The nest at a size, its blocks as they are there: stores that clear them end where these say. Of
 * blocks of which they do not say so at the largest training size, too, nothing is changed;
 * ret_unknown: bytes of these that are cleared or not. */
int ft_clear_blocks(const struct ft_sized_skeleton *sized, const struct ft_placed_block *blocks,
                    struct ft_nest *nest, uint64_t *ret_unknown, struct ft_diag *diag);

#endif
