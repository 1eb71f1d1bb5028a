/*
 * All caches of one line size in one pass: for every number of sets that is a power of two, up to a
 * greatest one, the exact LRU misses with any number of ways. Mattson et al. 1970 for the
 * stacks, Hill & Smith 1989 for all sets at once (docs/simulate.md, "All caches").
 *
 * An access that spans lines touches each of them; caches start empty, loads and stores alike.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_ALL_CACHES_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_ALL_CACHES_H

#include "engine/simulate/all-caches/block_numbers.h"
#include "formats/base/progress.h"
#include "formats/expand/runs.h"

#define FT_ALL_CACHES_LINE_MAX     FT_NUMBERED_BLOCK_MAX
#define FT_ALL_CACHES_SET_BITS_MAX 24

struct ft_all_caches {
    uint64_t line_bytes;
    unsigned set_bits; /* the greatest number of sets is 2^set_bits */
    uint64_t accesses; /* loads and stores */
    uint64_t touches;  /* lines that they covered, each access by itself */
    uint64_t cold;     /* first touches: distinct lines */
    struct ft_set_misses {
        uint64_t *by_ways;                  /* [ways], from 0 (all touches) */
        size_t count;                       /* from so many ways on only cold misses are left */
    } sets[FT_ALL_CACHES_SET_BITS_MAX + 1]; /* by log2 of their number */
};

/* Whether there are such caches. */
int ft_all_caches_check(uint64_t line_bytes, unsigned set_bits, struct ft_diag *diag);

/* line_bytes: a power of two, at least 2. Takes the source to its end; progress may be NULL. */
int ft_all_caches_simulate(uint64_t line_bytes, unsigned set_bits, struct ft_run_source *source,
                           struct ft_progress *progress, struct ft_all_caches *ret_caches,
                           struct ft_diag *diag);
void ft_all_caches_fini(struct ft_all_caches *caches);

/* The misses of the cache of 2^set_bits sets of `ways` lines. */
static inline uint64_t ft_all_caches_misses(const struct ft_all_caches *caches, unsigned set_bits,
                                            uint64_t ways)
{
    const struct ft_set_misses *sets = &caches->sets[set_bits];
    return ways < sets->count ? sets->by_ways[ways] : caches->cold;
}

#endif
