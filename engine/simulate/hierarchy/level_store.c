/*
 * LRU: a set is a row in order of recency, so that the place of a block is its age. Otherwise
 * blocks stay in their way, and empty ways are filled from the first. The tree of a pseudo-LRU set
 * has a bit at each node that points to the half used less recently; following the bits gives the
 * victim, and using a block turns the bits on the way to it away from it.
 */
#include "engine/simulate/hierarchy/level_store.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/splitmix.h"

int ft_level_store_init(struct ft_level_store *store, const struct ft_level *level, uint64_t seed,
                        struct ft_diag *diag)
{
    uint64_t sets = ft_level_sets(level);
    *store = (struct ft_level_store){
        .ways = level->ways,
        .sets = sets,
        .set_mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
        .blocks = calloc(level->blocks, sizeof *store->blocks),
        .flags = calloc(level->blocks, 1),
        .writers = calloc(level->blocks, sizeof *store->writers),
        .trees = level->behaviour.replacement == FT_REPLACE_PLRU
                     ? calloc(sets, sizeof *store->trees)
                     : NULL,
        .random = seed,
        .replacement = level->behaviour.replacement,
    };
    if (store->blocks && store->flags && store->writers &&
        (store->trees || store->replacement != FT_REPLACE_PLRU))
        return FT_OK;
    ft_level_store_fini(store);
    return ft_fail_memory(diag, "a level");
}

void ft_level_store_fini(struct ft_level_store *store)
{
    free(store->blocks);
    free(store->flags);
    free(store->writers);
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

static struct ft_moved_block block_at(const struct ft_level_store *store, uint64_t place)
{
    return (struct ft_moved_block){store->blocks[place] - 1, store->writers[place],
                                   store->flags[place]};
}

static void put(struct ft_level_store *store, uint64_t place, const struct ft_moved_block *block)
{
    store->blocks[place] = block->block + 1;
    store->writers[place] = block->writer;
    store->flags[place] = block->flags;
}

/* Moves the ways before `place` back by one, over it, and puts a block first. */
static void put_first(struct ft_level_store *store, uint64_t first, uint64_t place,
                      const struct ft_moved_block *block)
{
    memmove(store->blocks + first + 1, store->blocks + first,
            (place - first) * sizeof *store->blocks);
    memmove(store->flags + first + 1, store->flags + first, place - first);
    memmove(store->writers + first + 1, store->writers + first,
            (place - first) * sizeof *store->writers);
    put(store, first, block);
}

uint64_t ft_level_store_use(struct ft_level_store *store, uint64_t place)
{
    uint64_t set = place / store->ways, first = set * store->ways;
    if (store->replacement == FT_REPLACE_PLRU)
        point_away(store, set, place - first);
    if (store->replacement != FT_REPLACE_LRU || place == first)
        return place;
    const struct ft_moved_block block = block_at(store, place);
    put_first(store, first, place, &block);
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

bool ft_level_store_insert(struct ft_level_store *store, const struct ft_moved_block *block,
                           struct ft_moved_block *ret_evicted)
{
    uint64_t set = set_of(store, block->block), place = choose_place(store, set);
    bool evicted = store->blocks[place] != 0;
    *ret_evicted = block_at(store, place);
    if (store->replacement == FT_REPLACE_LRU) {
        put_first(store, set * store->ways, place, block);
        return evicted;
    }
    put(store, place, block);
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
        memmove(store->writers + place, store->writers + place + 1,
                (last - place) * sizeof *store->writers);
        place = last;
    }
    store->blocks[place] = 0;
    store->flags[place] = 0;
}
