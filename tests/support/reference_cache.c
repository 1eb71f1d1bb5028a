#include "tests/support/reference_cache.h"

#include <stdlib.h>
#include <string.h>

void reference_cache_init(struct reference_cache *cache, uint64_t block_bytes, uint64_t ways,
                          uint64_t sets)
{
    *cache =
        (struct reference_cache){block_bytes, ways, sets, malloc(ways * sets * sizeof(uint64_t))};
    if (!cache->blocks)
        abort();
    memset(cache->blocks, 0xff, ways * sets * sizeof *cache->blocks);
}

void reference_cache_fini(struct reference_cache *cache)
{
    free(cache->blocks);
}

bool reference_cache_touch(struct reference_cache *cache, uint64_t block)
{
    uint64_t *set = cache->blocks + block % cache->sets * cache->ways;
    uint64_t age = 0;
    while (age < cache->ways && set[age] != block)
        age++;
    bool miss = age == cache->ways;
    for (uint64_t i = miss ? age - 1 : age; i > 0; i--)
        set[i] = set[i - 1];
    set[0] = block;
    return miss;
}
