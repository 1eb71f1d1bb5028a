#include "engine/simulate/warping/set_rows.h"

#include <stdlib.h>
#include <string.h>

int ft_set_rows_init(struct ft_set_rows *cache, uint64_t sets, uint64_t ways, struct ft_diag *diag)
{
    *cache = (struct ft_set_rows){.sets = sets,
                                  .ways = ways,
                                  .set_mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
                                  .rows = calloc(sets * ways, sizeof *cache->rows)};
    return cache->rows ? FT_OK : ft_fail_memory(diag, "a cache");
}

void ft_set_rows_fini(struct ft_set_rows *cache)
{
    free(cache->rows);
    free(cache->moved);
    *cache = (struct ft_set_rows){0};
}

uint64_t ft_set_rows_hash(const struct ft_set_rows *cache, const struct ft_block_moves *moves,
                          uint64_t periods)
{
    uint64_t hash = 0;
    for (uint64_t set = 0; set < cache->sets; set++) {
        const uint64_t *row = cache->rows + set * cache->ways;
        for (uint64_t age = 0; age < cache->ways && row[age]; age++) {
            const uint64_t block = row[age] - 1;
            hash += ft_block_hash(block - periods * ft_block_move(moves, block), age);
        }
    }
    return hash;
}

int ft_set_rows_move(struct ft_set_rows *cache, const struct ft_block_moves *moves,
                     uint64_t periods, struct ft_diag *diag)
{
    const size_t bytes = cache->sets * cache->ways * sizeof *cache->rows;
    if (!cache->moved && !(cache->moved = malloc(bytes)))
        return ft_fail_memory(diag, "a cache");
    memset(cache->moved, 0, bytes);
    for (uint64_t set = 0; set < cache->sets; set++) {
        const uint64_t *row = cache->rows + set * cache->ways;
        uint64_t *to = NULL;
        for (uint64_t age = 0; age < cache->ways && row[age]; age++) {
            const uint64_t block = row[age] - 1;
            const uint64_t moved = block + periods * ft_block_move(moves, block);
            if (age == 0)
                to = cache->moved + ft_set_rows_set(cache, moved) * cache->ways;
            to[age] = moved + 1;
        }
    }
    uint64_t *rows = cache->rows;
    cache->rows = cache->moved;
    cache->moved = rows;
    return FT_OK;
}
