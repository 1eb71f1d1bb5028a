/*
 * One LRU cache, set-associative or full, that takes accesses and runs of them, counts them and
 * their misses by reference, and can be compared and moved (block_moves.h). Of a cache with some
 * sets only the others' touches are left out, not their accesses. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_SINGLE_CACHE_H
#define FT_ENGINE_SIMULATE_WARPING_SINGLE_CACHE_H

#include "engine/simulate/warping/full_list.h"
#include "engine/simulate/warping/set_rows.h"

struct ft_cache_form {
    uint64_t block_bytes; /* a power of two */
    uint64_t blocks, ways;
};

/* Sets of a cache, and how far it is to them: 0 in them, SETS where there are none. */
struct ft_some_sets {
    uint32_t *up, *down; /* [set]: the distance to the next one, upwards and downwards */
};

struct ft_reference_count {
    uint64_t accesses, misses;
};

struct ft_single_cache {
    unsigned shift; /* log2 of block_bytes */
    uint64_t sets;  /* 1: full */
    uint64_t ways;
    struct ft_set_rows rows;
    struct ft_full_list list;
    const struct ft_some_sets *some;   /* the caller's; NULL: all sets */
    struct ft_reference_count *counts; /* [reference] */
    uint64_t touches;                  /* made so far: what the simulation takes */
};
int ft_single_cache_init(struct ft_single_cache *cache, const struct ft_cache_form *form,
                         const struct ft_some_sets *some, uint32_t reference_count,
                         struct ft_diag *diag);
void ft_single_cache_fini(struct ft_single_cache *cache);

/* A reference in a run: its address in iteration 0. */
struct ft_run_entry {
    uint64_t address;
    int64_t stride;
    uint64_t extra; /* bytes of an access beyond its first */
    uint32_t reference;
    uint64_t first, last; /* blocks, in the iteration at hand... */
    uint64_t until;       /* ...and in those before this one */
};
void ft_single_cache_access(struct ft_single_cache *cache, const struct ft_run_entry *entry);
/* Iterations [from, to) of a run. */
void ft_single_cache_run(struct ft_single_cache *cache, struct ft_run_entry *entries, size_t count,
                         uint64_t from, uint64_t to);

/* Blocks that it holds. */
uint64_t ft_single_cache_held(const struct ft_single_cache *cache);
uint64_t ft_single_cache_hash(const struct ft_single_cache *cache,
                              const struct ft_block_moves *moves, uint64_t periods);
int ft_single_cache_move(struct ft_single_cache *cache, const struct ft_block_moves *moves,
                         uint64_t periods, struct ft_diag *diag);

#endif
