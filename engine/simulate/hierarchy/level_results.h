/*
 * What is counted at each level of a simulated hierarchy, summed over all cores.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_RESULTS_H
#define FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/simulate/hierarchy/miss_causes.h"
#include "machines/machine.h"

/* Prefetchers never leave the page of this size that the access which woke them is in. */
#define FT_PREFETCH_PAGE_BYTES 4096U

/* What happens at a level besides the program's own accesses. */
struct ft_level_traffic {
    uint64_t evictions;     /* blocks that went to make room */
    uint64_t write_backs;   /* of these, dirty: written to the next level or memory */
    uint64_t invalidations; /* blocks that went because an inclusive level beyond evicted them */
    uint64_t prefetches;    /* blocks fetched by the prefetcher here */
    uint64_t useful_prefetches; /* of these, used before they went */
};

/* A block that a prefetcher fetched into a cache of data. */
struct ft_hierarchy_prefetch {
    uint64_t address;
    size_t source; /* the level that had it; SIZE_MAX: memory */
};

struct ft_hierarchy_level {
    const struct ft_level *level; /* the machine's */
    bool instruction;             /* for instructions alone */
    bool unified;                 /* for both: it, or a level before it, is described so */
    uint64_t *accesses;           /* [reference]: blocks asked for */
    uint64_t *misses;             /* [reference] */
    uint64_t *causes;             /* [reference * FT_MISS_CAUSES + cause]: of the misses; NULL: not
                                     counted */
    uint64_t *write_backs;        /* [reference]: of blocks that its stores made dirty last */
    struct ft_level_traffic traffic;
};

#endif
