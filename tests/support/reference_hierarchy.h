/*
 * A hierarchy of caches and TLBs of several cores that follows the rules of docs/simulate.md word
 * by word, one access after another: times of last use instead of orders, trees as arrays, a search
 * of all blocks. Test code: aborts when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_HIERARCHY_H
#define FT_TESTS_SUPPORT_REFERENCE_HIERARCHY_H

#include <stdbool.h>

#include "engine/simulate/hierarchy/hierarchy.h"
#include "formats/base/hash_table.h"

#define REFERENCE_LEVELS_MAX 12 /* of a machine */
#define REFERENCE_COPIES_MAX 64 /* of all its levels */

struct reference_cache_block {
    uint64_t number;
    uint64_t used; /* when */
    uint32_t writer;
    bool valid, dirty, prefetched;
};

struct reference_level_metrics { /* of a level, over all cores */
    const struct ft_level *level;
    uint64_t *accesses, *misses, *write_backs; /* [reference] */
    uint64_t (*causes)[FT_MISS_CAUSES];        /* [reference]: of the misses */
    struct ft_level_traffic traffic;
};

struct reference_level { /* of some cores */
    const struct ft_level *level;
    size_t number;                  /* of the machine's levels */
    uint32_t first_core, last_core; /* that have it */
    struct reference_level *next;
    struct reference_level_metrics *figures;
    struct reference_cache_block *blocks; /* [set][way] */
    bool *trees;                          /* [set][node], true: the right half is older */
    uint64_t sets, random;
    uint64_t *last_address, *last_step;
    unsigned *last_count; /* addresses and steps seen by the prefetcher, up to 2 */
    uint64_t *recent;     /* what a fully associative LRU cache holds, newest first */
    uint64_t recent_count;
    uint64_t *asked; /* all blocks that the program has asked for */
    uint64_t asked_count;
    struct ft_hash_table asked_of; /* block: its index in asked */
};

struct reference_hierarchy {
    const struct ft_machine *machine;
    struct reference_level_metrics figures[REFERENCE_LEVELS_MAX];
    size_t figure_count;
    struct reference_level levels[REFERENCE_COPIES_MAX];
    size_t level_count;
    uint64_t now;
    uint64_t memory_reads, memory_writes;
};

void reference_hierarchy_init(struct reference_hierarchy *expected,
                              const struct ft_machine *machine, uint32_t cores, uint64_t seed,
                              uint32_t reference_count);
void reference_hierarchy_fini(struct reference_hierarchy *expected);
void reference_hierarchy_access(struct reference_hierarchy *expected, uint32_t core,
                                const struct ft_reference *reference, uint32_t index,
                                uint64_t address);
/* Whether a hierarchy counted the same; else the first difference as text. */
bool reference_hierarchy_same(const struct reference_hierarchy *expected,
                              const struct ft_hierarchy *hierarchy, uint32_t reference_count,
                              char text[200]);

#endif
