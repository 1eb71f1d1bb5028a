/*
 * Exact LRU simulation of one cache or TLB, set-associative or fully associative at any size: the
 * reference that predictions are compared with (docs/simulate.md, "Exact simulation").
 *
 * A set is block % sets, for any number of sets. Caches start empty. A cache is used by one thread
 * at a time; different caches are independent.
 */
#ifndef FT_ENGINE_SIMULATE_CACHE_H
#define FT_ENGINE_SIMULATE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_CACHE_BLOCKS_MAX (UINT32_C(1) << 30)
#define FT_CACHE_TAGS_MAX   (UINT32_MAX - 1)

/* A touch of a block that stands for `weight` of its kind, all hits or all misses. */
struct ft_cache_touch {
    uint64_t block; /* address / block size */
    uint32_t tag;   /* a dense number of the block */
    uint32_t reference;
    uint32_t weight;
};

struct ft_cache;
/* ways = blocks: fully associative. Sets = blocks / ways, which must divide evenly. At most
 * FT_CACHE_BLOCKS_MAX blocks. */
int ft_cache_create(uint64_t blocks, uint64_t ways, struct ft_cache **ret_cache,
                    struct ft_diag *diag);
void ft_cache_destroy(struct ft_cache *cache);

/* Room for tags below tag_count, at most FT_CACHE_TAGS_MAX. */
int ft_cache_reserve(struct ft_cache *cache, uint64_t tag_count, struct ft_diag *diag);
/* Adds the weights of the touches that miss to misses[reference]. */
void ft_cache_take(struct ft_cache *cache, const struct ft_cache_touch *touches, size_t count,
                   uint64_t *misses);

#endif
