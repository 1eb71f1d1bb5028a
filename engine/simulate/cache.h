/*
 * Exact LRU simulation of one cache or TLB: set-associative, or fully associative at any size. The
 * yardstick that predictions are held against. Each level sees all accesses (as the models do).
 */
#ifndef FT_ENGINE_SIMULATE_CACHE_H
#define FT_ENGINE_SIMULATE_CACHE_H

#include <stdint.h>

#include "formats/base/status.h"
#include "formats/trace/runs.h"

struct ft_cache;
/* ways = blocks: fully associative. blocks need not be a power of two; sets = blocks / ways. */
int ft_cache_create(uint64_t block_bytes, uint64_t blocks, uint64_t ways,
                    struct ft_cache **ret_cache, struct ft_diag *diag);
void ft_cache_destroy(struct ft_cache *cache);
/* 1 on a miss, 0 on a hit, negative ft_status out of memory. An access that spans blocks is to be
 * split by the caller, low block first. */
int ft_cache_touch(struct ft_cache *cache, uint64_t block);

#endif
