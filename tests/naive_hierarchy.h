/*
 * A hierarchy of caches and TLBs that follows the rules of docs/method.md word by word, one access
 * after another: times of last use instead of orders, trees as arrays, a search of all blocks.
 * Slow. Test code: aborts when out of memory.
 */
#ifndef FT_TESTS_NAIVE_HIERARCHY_H
#define FT_TESTS_NAIVE_HIERARCHY_H

#include <stdbool.h>

#include "engine/simulate/hierarchy.h"

#define NAIVE_LEVELS_MAX 12

struct naive_block {
    uint64_t number;
    uint64_t used; /* when */
    bool valid, dirty, prefetched;
};

struct naive_level {
    const struct ft_level *level;
    struct naive_level *next;
    struct naive_block *blocks; /* [set][way] */
    bool *trees;                /* [set][node], true: the right half is older */
    uint64_t sets, random;
    uint64_t *accesses, *misses; /* [reference] */
    uint64_t *last_address, *last_step;
    unsigned *last_count; /* addresses and steps seen by the prefetcher, up to 2 */
    struct ft_level_traffic traffic;
};

struct naive_hierarchy {
    struct naive_level levels[NAIVE_LEVELS_MAX];
    size_t level_count;
    struct naive_level *caches, *tlbs;
    uint64_t now;
    uint64_t memory_reads, memory_writes;
};

void naive_init(struct naive_hierarchy *naive, const struct ft_machine *machine, uint64_t seed,
                uint32_t reference_count);
void naive_fini(struct naive_hierarchy *naive);
void naive_access(struct naive_hierarchy *naive, const struct ft_reference *reference,
                  uint32_t index, uint64_t address);
/* Whether a hierarchy counted the same; else the first difference as text. */
bool naive_same(const struct naive_hierarchy *naive, const struct ft_hierarchy *hierarchy,
                uint32_t reference_count, char text[200]);

#endif
