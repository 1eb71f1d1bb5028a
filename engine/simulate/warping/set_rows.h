/*
 * A set-associative LRU cache by block numbers, whose contents can be compared under moves of
 * blocks (block_moves.h), and moved. Starts empty. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_SET_ROWS_H
#define FT_ENGINE_SIMULATE_WARPING_SET_ROWS_H

#include "engine/simulate/warping/block_moves.h"
#include "formats/base/status.h"

struct ft_set_rows {
    uint64_t sets, ways;
    uint64_t set_mask; /* sets - 1 where sets is a power of two, else 0 */
    uint64_t *rows;    /* [set * ways + age]: block + 1; 0: empty */
    uint64_t *moved;   /* of the same size, once they have moved */
    uint64_t count;    /* blocks that it holds */
};
int ft_set_rows_init(struct ft_set_rows *cache, uint64_t sets, uint64_t ways, struct ft_diag *diag);
void ft_set_rows_fini(struct ft_set_rows *cache);

static inline uint64_t ft_set_rows_set(const struct ft_set_rows *cache, uint64_t block)
{
    return cache->set_mask ? block & cache->set_mask : block % cache->sets;
}

/* Whether a block misses. */
static inline bool ft_set_rows_touch(struct ft_set_rows *cache, uint64_t block)
{
    uint64_t *row = cache->rows + ft_set_rows_set(cache, block) * cache->ways;
    const uint64_t item = block + 1;
    uint64_t newer = row[0];
    if (newer == item)
        return false;
    row[0] = item;
    for (uint64_t age = 1; age < cache->ways; age++) {
        const uint64_t here = row[age];
        row[age] = newer;
        if (here == item)
            return false;
        newer = here;
    }
    cache->count += newer == 0;
    return true;
}

/* Of the contents as they were so many periods before, if moves brought them where they are. */
uint64_t ft_set_rows_hash(const struct ft_set_rows *cache, const struct ft_block_moves *moves,
                          uint64_t periods);
int ft_set_rows_move(struct ft_set_rows *cache, const struct ft_block_moves *moves,
                     uint64_t periods, struct ft_diag *diag);

#endif
