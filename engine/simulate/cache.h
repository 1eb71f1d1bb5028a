/*
 * Exact LRU simulation of caches and TLBs of one block size: one that is set-associative, or fully
 * associative ones of several capacities at once (docs/simulate.md, "Exact simulation").
 *
 * Caches start empty. One thread at a time; different caches are independent. Misses are added to
 * arrays by reference, which stay the caller's.
 */
#ifndef FT_ENGINE_SIMULATE_CACHE_H
#define FT_ENGINE_SIMULATE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* A touch of a block that stands for `weight` of its kind, all hits or all misses. */
struct ft_cache_touch {
    uint64_t block; /* address / block size */
    uint32_t tag;   /* a dense number of the block, below FT_CACHE_TAGS_MAX */
    uint32_t reference;
    uint32_t weight;
};
#define FT_CACHE_TAGS_MAX (UINT32_MAX - 1)

/* Several sets. A set is block % sets, for any number of sets. */
#define FT_SET_CACHE_BLOCKS_MAX (UINT32_C(1) << 30)
struct ft_set_cache;
/* ways: a divisor of blocks, and less. */
int ft_set_cache_create(uint64_t blocks, uint64_t ways, uint64_t *misses,
                        struct ft_set_cache **ret_cache, struct ft_diag *diag);
void ft_set_cache_destroy(struct ft_set_cache *cache);
void ft_set_cache_take(struct ft_set_cache *cache, const struct ft_cache_touch *touches,
                       size_t count);

/* The LRU order of all blocks, whose first ones are the contents of fully associative caches. */
struct ft_lru_stack;
int ft_lru_stack_create(struct ft_lru_stack **ret_stack, struct ft_diag *diag);
void ft_lru_stack_destroy(struct ft_lru_stack *stack);
/* Before the first touch: a cache of so many blocks. */
int ft_lru_stack_add_cache(struct ft_lru_stack *stack, uint64_t blocks, uint64_t *misses,
                           struct ft_diag *diag);
/* Room for tags below tag_count. */
int ft_lru_stack_reserve(struct ft_lru_stack *stack, uint64_t tag_count, struct ft_diag *diag);
/* Distinct blocks so far. */
uint64_t ft_lru_stack_blocks(const struct ft_lru_stack *stack);
/* After a failure it may only be destroyed. */
int ft_lru_stack_take(struct ft_lru_stack *stack, const struct ft_cache_touch *touches,
                      size_t count, struct ft_diag *diag);

#endif
