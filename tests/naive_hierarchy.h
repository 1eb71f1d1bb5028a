/*
 * A hierarchy of caches and TLBs of several cores that follows the rules of docs/method.md word by
 * word, one access after another: times of last use instead of orders, trees as arrays, a search of
 * all blocks. Slow. Test code: aborts when out of memory.
 */
#ifndef FT_TESTS_NAIVE_HIERARCHY_H
#define FT_TESTS_NAIVE_HIERARCHY_H

#include <stdbool.h>

#include "engine/simulate/hierarchy/hierarchy.h"

#define NAIVE_LEVELS_MAX 12 /* of a machine */
#define NAIVE_COPIES_MAX 64 /* of all its levels */

struct naive_block {
    uint64_t number;
    uint64_t used; /* when */
    uint32_t writer;
    bool valid, dirty, prefetched;
};

struct naive_figures { /* of a level, over all cores */
    const struct ft_level *level;
    uint64_t *accesses, *misses, *write_backs; /* [reference] */
    struct ft_level_traffic traffic;
};

struct naive_level { /* of some cores */
    const struct ft_level *level;
    size_t number;                  /* of the machine's levels */
    uint32_t first_core, last_core; /* that have it */
    struct naive_level *next;
    struct naive_figures *figures;
    struct naive_block *blocks; /* [set][way] */
    bool *trees;                /* [set][node], true: the right half is older */
    uint64_t sets, random;
    uint64_t *last_address, *last_step;
    unsigned *last_count; /* addresses and steps seen by the prefetcher, up to 2 */
};

struct naive_hierarchy {
    const struct ft_machine *machine;
    struct naive_figures figures[NAIVE_LEVELS_MAX];
    size_t figure_count;
    struct naive_level levels[NAIVE_COPIES_MAX];
    size_t level_count;
    uint64_t now;
    uint64_t memory_reads, memory_writes;
};

void naive_init(struct naive_hierarchy *naive, const struct ft_machine *machine, uint32_t cores,
                uint64_t seed, uint32_t reference_count);
void naive_fini(struct naive_hierarchy *naive);
void naive_access(struct naive_hierarchy *naive, uint32_t core,
                  const struct ft_reference *reference, uint32_t index, uint64_t address);
/* Whether a hierarchy counted the same; else the first difference as text. */
bool naive_same(const struct naive_hierarchy *naive, const struct ft_hierarchy *hierarchy,
                uint32_t reference_count, char text[200]);

#endif
