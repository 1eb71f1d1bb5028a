/*
 * The blocks that were touched, in one list by recency, which costs little to keep; a block's
 * distances in the sets of every number of sets follow from one walk to it. Blocks that share the
 * low r bits are in the same set of 2^k sets for all k up to r.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_RECENCY_LIST_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_RECENCY_LIST_H

#include <stdbool.h>

#include "engine/simulate/all-caches/block_numbers.h"
#include "formats/base/zero_array.h"

struct ft_recency_list {
    struct ft_block_numbers numbers;
    uint32_t *links; /* [length]: of blocks, the newest last; 0: a gap */
    size_t length, capacity, block_count;
    struct ft_zero_array places; /* size_t [link]: in links, from 1 on; 0: not in the list */
};

/* block_shift: log2 of the bytes of a block. */
void ft_recency_list_init(struct ft_recency_list *list, unsigned block_shift);
void ft_recency_list_fini(struct ft_recency_list *list);

/* *ret_link: what the list knows the block by, from 1 on. Makes room for its touch. */
int ft_recency_list_find(struct ft_recency_list *list, uint64_t block, uint32_t *ret_link,
                         bool *ret_is_new, struct ft_diag *diag);
/* The block becomes the newest; after ft_recency_list_find. */
void ft_recency_list_touch(struct ft_recency_list *list, uint32_t link);
/* distances[k]: the newer blocks in the block's set of 2^k sets, for k up to set_bits. */
void ft_recency_list_distances(const struct ft_recency_list *list, uint64_t block, uint32_t link,
                               unsigned set_bits, uint32_t *distances);

#endif
