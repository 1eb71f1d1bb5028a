/*
 * The LRU stacks of all sets of a cache with 2^set_bits sets and no end of ways: a touch gives the
 * number of other blocks of the set touched since the last touch of the block, so it misses with
 * up to that many ways and hits with more.
 *
 * Blocks are dense numbers whose low bits, as far as numbers are dense (dense_bits), are those of
 * the block's address. Once a function fails the stacks may only be destroyed. One thread at a
 * time.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_SET_STACKS_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_SET_STACKS_H

#include <stdint.h>

#include "formats/base/status.h"

#define FT_STACK_COLD UINT32_MAX /* the distance of a first touch */

struct ft_set_stacks;
int ft_set_stacks_create(unsigned set_bits, unsigned dense_bits, struct ft_set_stacks **ret_stacks,
                         struct ft_diag *diag);
void ft_set_stacks_destroy(struct ft_set_stacks *stacks);

/* Room for blocks 0 .. block_count. */
int ft_set_stacks_reserve(struct ft_set_stacks *stacks, uint64_t block_count, struct ft_diag *diag);
int ft_set_stacks_touch(struct ft_set_stacks *stacks, uint64_t set, uint32_t block,
                        uint32_t *ret_distance, struct ft_diag *diag);

#endif
