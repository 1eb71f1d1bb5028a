/*
 * What one level of a hierarchy holds: blocks in sets, replaced by exact LRU, by a tree of bits
 * (pseudo-LRU) or at random, each with flags. Finding a block changes nothing; using it does.
 *
 * Places are indices that hold until the next change of the store. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_STORE_H
#define FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "machines/machine.h"

#define FT_NO_PLACE UINT64_MAX

enum { FT_BLOCK_DIRTY = 1, FT_BLOCK_PREFETCHED = 2 };

/* A block on its way into a level or out of one. */
struct ft_moved_block {
    uint64_t block;
    uint32_t writer; /* dirty: the reference that made it so last */
    uint8_t flags;
};

struct ft_level_store {
    uint64_t ways, sets;
    uint64_t set_mask; /* sets - 1 where sets is a power of two, else 0 */
    uint64_t *blocks;  /* [set * ways + way], block + 1; 0: empty. LRU: the newest way first */
    uint8_t *flags;    /* likewise */
    uint32_t *writers; /* likewise, of dirty blocks */
    uint64_t *trees;   /* pseudo-LRU: per set, bit n: where node n points; node 1 is the root */
    uint64_t random;   /* state of the generator */
    uint8_t replacement;
};

/* `seed` is for random replacement; ways and blocks are those of the level. */
int ft_level_store_init(struct ft_level_store *store, const struct ft_level *level, uint64_t seed,
                        struct ft_diag *diag);
void ft_level_store_fini(struct ft_level_store *store);

uint64_t ft_level_store_find(const struct ft_level_store *store, uint64_t block);
/* Makes the block at a place the most recent of its set; gives its place from then on. */
uint64_t ft_level_store_use(struct ft_level_store *store, uint64_t place);
/* Adds a block that is not there. True where another one had to go, which is then given. */
bool ft_level_store_insert(struct ft_level_store *store, const struct ft_moved_block *block,
                           struct ft_moved_block *ret_evicted);
/* Makes the block at a place dirty. */
static inline void ft_level_store_write(struct ft_level_store *store, uint64_t place,
                                        uint32_t writer)
{
    store->flags[place] |= FT_BLOCK_DIRTY;
    store->writers[place] = writer;
}
void ft_level_store_remove(struct ft_level_store *store, uint64_t place);

#endif
