/*
 * Dense numbers of the blocks that a program touches: neighbouring ones within a region of 2 MiB,
 * so that the low `bits` of a number are those of the block. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_BLOCK_NUMBERS_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_BLOCK_NUMBERS_H

#include "formats/base/dense_ids.h"

#define FT_NUMBERED_BLOCK_MAX (UINT32_C(1) << 21) /* bytes */

struct ft_block_numbers {
    unsigned bits;
    struct ft_dense_ids regions;
    uint64_t *keys; /* [region's number] */
    size_t key_capacity;
    uint64_t last_region; /* and its number */
    uint32_t last_region_number;
};

/* block_shift: log2 of the bytes of a block, 1 to 21. */
void ft_block_numbers_init(struct ft_block_numbers *numbers, unsigned block_shift);
void ft_block_numbers_fini(struct ft_block_numbers *numbers);

/* The number of a block, a new one for a new block. */
int ft_block_numbers_find(struct ft_block_numbers *numbers, uint64_t block, uint32_t *ret_number,
                          struct ft_diag *diag);

/* All numbers so far are below. */
static inline uint64_t ft_block_numbers_end(const struct ft_block_numbers *numbers)
{
    return (uint64_t)numbers->regions.count << numbers->bits;
}

static inline uint64_t ft_block_of_number(const struct ft_block_numbers *numbers, uint32_t number)
{
    uint64_t low = number & ((UINT64_C(1) << numbers->bits) - 1);
    return numbers->keys[number >> numbers->bits] << numbers->bits | low;
}

#endif
