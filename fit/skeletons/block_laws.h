/*
 * Learns the laws of heap blocks (struct ft_block_laws): which are allocated and freed in which
 * order, how large each is, and whether the model of the allocator (allocator.h) puts them where
 * they were; and says where they are at a size.
 */
#ifndef FT_FIT_SKELETONS_BLOCK_LAWS_H
#define FT_FIT_SKELETONS_BLOCK_LAWS_H

#include "formats/skeleton/sized_skeleton.h"

/* skeletons: with places, by ascending size. Where the heaps of the sizes are not alike there are
 * no events, and no block is confirmed. */
int ft_block_laws_learn(const struct ft_skeleton *const *skeletons, const double *sizes,
                        size_t size_count, struct ft_block_laws *ret_laws, struct ft_diag *diag);
/* Where blocks are at a size; those that are not confirmed are where the largest training size has
 * them, or, if sizes have different numbers of them, where the allocator's model puts them.
 * ret_blocks: [block, as the size numbers them], to be freed. */
int ft_block_laws_at(const struct ft_block_laws *laws, const struct ft_skeleton *largest,
                     double size, struct ft_placed_block **ret_blocks, uint32_t *ret_block_count,
                     struct ft_diag *diag);

#endif
