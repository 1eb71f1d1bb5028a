/*
 * The reference for simulators: a cache under LRU, every set a list in order of recency that is
 * searched from the top. Test code: aborts when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_CACHE_H
#define FT_TESTS_SUPPORT_REFERENCE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct reference_cache {
    uint64_t block_bytes, ways, sets;
    uint64_t *blocks; /* [set][age], UINT64_MAX: empty */
};
void reference_cache_init(struct reference_cache *cache, uint64_t block_bytes, uint64_t ways,
                          uint64_t sets);
void reference_cache_fini(struct reference_cache *cache);
/* Whether a block misses. */
bool reference_cache_touch(struct reference_cache *cache, uint64_t block);

#endif
