/*
 * Exact LRU simulation of one cache or TLB, set-associative or fully associative at any size: the
 * reference that predictions are compared with (docs/simulate.md, "Exact simulation").
 *
 * Blocks are numbers of blocks (address / block size), not addresses; a set is block % sets, for
 * any number of sets. A cache is used by one thread at a time; different caches are independent.
 */
#ifndef FT_ENGINE_SIMULATE_CACHE_H
#define FT_ENGINE_SIMULATE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_CACHE_BLOCKS_MAX (UINT32_C(1) << 30)

struct ft_cache;
/* ways = blocks: fully associative. Sets = blocks / ways, which must divide evenly. At most
 * FT_CACHE_BLOCKS_MAX blocks. */
int ft_cache_create(uint64_t blocks, uint64_t ways, struct ft_cache **ret_cache,
                    struct ft_diag *diag);
void ft_cache_destroy(struct ft_cache *cache);

/* Touches a block below 2^63: true on a miss. The block is the most recent one of its set then. */
bool ft_cache_touch(struct ft_cache *cache, uint64_t block);

#endif
