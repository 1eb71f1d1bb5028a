/*
 * Why a level misses (Hill & Smith 1989): beside its store stands a fully associative LRU cache of
 * as many blocks, which is asked for the same by the program, and takes in what the store does. A
 * miss is cold where the program asks for the block for the first time, a capacity miss where that
 * cache misses too, and a conflict miss where it hits: because of sets, of another replacement, or
 * of what prefetchers and inclusive levels displace. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_MISS_CAUSES_H
#define FT_ENGINE_SIMULATE_HIERARCHY_MISS_CAUSES_H

#include "formats/base/hash_table.h"
#include "formats/base/status.h"

enum ft_miss_cause { FT_MISS_COLD, FT_MISS_CAPACITY, FT_MISS_CONFLICT, FT_MISS_CAUSES };
extern const char *const ft_miss_cause_names[FT_MISS_CAUSES]; /* "cold", "capacity", "conflict" */

/* What the level does with a block that it was asked for. */
enum ft_miss_taking {
    FT_MISS_TAKES_IN, /* has it, and as the newest one, from then on */
    FT_MISS_USES,     /* no more than use it: a store that goes around */
    FT_MISS_HANDS_ON, /* has it no more: an exclusive level */
};

struct ft_shadow_block {
    uint64_t number;
    uint32_t newer, older; /* in the list; the ends lead to FT_NO_SHADOW */
    bool is_inside;        /* the list */
    bool was_asked;
};
#define FT_NO_SHADOW UINT32_MAX

struct ft_miss_shadow {
    struct ft_hash_table table;
    struct ft_shadow_block *blocks; /* all that the level ever had to do with */
    size_t block_count, block_capacity;
    uint64_t ways, inside; /* how many may be in the list, and are */
    uint32_t newest, oldest;
    bool has_failed; /* out of memory: causes are wrong from then on */
};

void ft_miss_shadow_init(struct ft_miss_shadow *shadow, uint64_t blocks);
void ft_miss_shadow_fini(struct ft_miss_shadow *shadow);
/* The program asks for a block: why the level misses it, if it does. */
enum ft_miss_cause ft_miss_shadow_ask(struct ft_miss_shadow *shadow, uint64_t block,
                                      enum ft_miss_taking taking);
/* A block is evicted into an exclusive level. */
void ft_miss_shadow_insert(struct ft_miss_shadow *shadow, uint64_t block);

#endif
