/*
 * LRU: a set is a row in order of recency, so that the place of a block is its age. Otherwise
 * blocks stay in their way, and empty ways are filled from the first. The tree of a pseudo-LRU set
 * has a bit at each node that points to the half used less recently; following the bits gives the
 * victim, and using a block turns the bits on the way to it away from it.
 */
#include "engine/simulate/level_store.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/splitmix.h"

int ft_level_store_init(struct ft_level_store *store, const struct ft_level *level, uint64_t seed,
                        struct ft_diag *diag)
{
    uint64_t sets = level->blocks / level->ways;
    *store = (struct ft_level_store){
        .ways = level->ways,
        .sets = sets,
        .set_mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
        .blocks = calloc(level->blocks, sizeof *store->blocks),
        .flags = calloc(level->blocks, 1),
        .trees = level->behaviour.replacement == FT_REPLACE_PLRU
                     ? calloc(sets, sizeof *store->trees)
                     : NULL,
        .random = seed,
        .replacement = level->behaviour.replacement,
    };
    if (store->blocks && store->flags && (store->trees || store->replacement != FT_REPLACE_PLRU))
        return FT_OK;
    ft_level_store_fini(store);
    return ft_fail_memory(diag, "a level");
}

void ft_level_store_fini(struct ft_level_store *store)
{
    free(store->blocks);
    free(store->flags);
    free(store->trees);
    *store = (struct ft_level_store){0};
}

static uint64_t set_of(const struct ft_level_store *store, uint64_t block)
{
    return store->set_mask || store->sets == 1 ? block & store->set_mask : block % store->sets;
}

uint64_t ft_level_store_find(const struct ft_level_store *store, uint64_t block)
{
    uint64_t first = set_of(store, block) * store->ways;
    for (uint64_t place = first; place < first + store->ways; place++)
        if (store->blocks[place] == block + 1)
            return place;
    return FT_NO_PLACE;
}

static void point_away(struct ft_level_store *store, uint64_t set, uint64_t way)
{
    uint64_t tree = store->trees[set];
    for (uint64_t node = way + store->ways; node > 1; node /= 2) {
        uint64_t bit = UINT64_C(1) << (node / 2);
        tree = node & 1 ? tree & ~bit : tree | bit; /* set: to the right half */
    }
    store->trees[set] = tree;
}

static uint64_t follow_tree(const struct ft_level_store *store, uint64_t set)
{
    uint64_t node = 1;
    while (node < store->ways)
        node = 2 * node + (store->trees[set] >> node & 1);
    return node - store->ways;
}

/* Moves the ways before `place` back by one, over it, and puts a block first. */
static void put_first(struct ft_level_store *store, uint64_t first, uint64_t place, uint64_t block,
                      uint8_t flags)
{
    memmove(store->blocks + first + 1, store->blocks + first,
            (place - first) * sizeof *store->blocks);
    memmove(store->flags + first + 1, store->flags + first, place - first);
    store->blocks[first] = block;
    store->flags[first] = flags;
}

uint64_t ft_level_store_use(struct ft_level_store *store, uint64_t place)
{
    uint64_t set = place / store->ways, first = set * store->ways;
    if (store->replacement == FT_REPLACE_PLRU)
        point_away(store, set, place - first);
    if (store->replacement != FT_REPLACE_LRU || place == first)
        return place;
    put_first(store, first, place, store->blocks[place], store->flags[place]);
    return first;
}

/* The way that a new block takes: an empty one, or the victim's. */
static uint64_t choose_place(struct ft_level_store *store, uint64_t set)
{
    uint64_t first = set * store->ways, last = first + store->ways - 1;
    for (uint64_t place = first; place <= last; place++)
        if (store->blocks[place] == 0)
            return place;
    switch (store->replacement) {
    case FT_REPLACE_PLRU:
        return first + follow_tree(store, set);
    case FT_REPLACE_RANDOM:
        return first + ft_splitmix(&store->random) % store->ways;
    default:
        return last;
    }
}

bool ft_level_store_insert(struct ft_level_store *store, uint64_t block, uint8_t flags,
                           uint64_t *ret_evicted, uint8_t *ret_flags)
{
    uint64_t set = set_of(store, block), place = choose_place(store, set);
    bool evicted = store->blocks[place] != 0;
    *ret_evicted = store->blocks[place] - 1;
    *ret_flags = store->flags[place];
    if (store->replacement == FT_REPLACE_LRU) {
        put_first(store, set * store->ways, place, block + 1, flags);
        return evicted;
    }
    store->blocks[place] = block + 1;
    store->flags[place] = flags;
    if (store->replacement == FT_REPLACE_PLRU)
        point_away(store, set, place - set * store->ways);
    return evicted;
}

void ft_level_store_remove(struct ft_level_store *store, uint64_t place)
{
    uint64_t last = place / store->ways * store->ways + store->ways - 1;
    if (store->replacement == FT_REPLACE_LRU) { /* empty ways stand behind the others */
        memmove(store->blocks + place, store->blocks + place + 1,
                (last - place) * sizeof *store->blocks);
        memmove(store->flags + place, store->flags + place + 1, last - place);
        place = last;
    }
    store->blocks[place] = 0;
    store->flags[place] = 0;
}
