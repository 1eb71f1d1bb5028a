/*
 * How blocks of memory move with the iterations of a loop: all alike, or those of some ranges, and
 * no others. Moves of several periods add up.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_BLOCK_MOVES_H
#define FT_ENGINE_SIMULATE_WARPING_BLOCK_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_moved_range {
    uint64_t first, last; /* blocks */
    int64_t step;         /* bytes per iteration */
    uint64_t by;          /* blocks per period, modulo 2^64 */
};

struct ft_block_moves {
    uint64_t period;               /* iterations */
    bool is_uniform;               /* all blocks move, and sets rotate... */
    uint64_t by;                   /* ...by so many blocks per period; else... */
    struct ft_moved_range *ranges; /* ...these move, disjoint and sorted, within their sets */
    size_t range_count, range_capacity;
};

/* By how many blocks one moves in a period. */
static inline uint64_t ft_block_move(const struct ft_block_moves *moves, uint64_t block)
{
    if (moves->is_uniform)
        return moves->by;
    for (size_t i = 0; i < moves->range_count && moves->ranges[i].first <= block; i++)
        if (block <= moves->ranges[i].last)
            return moves->ranges[i].by;
    return 0;
}

/* Of a block and its place in the LRU order of its set: sums of these tell states apart. */
static inline uint64_t ft_block_hash(uint64_t block, uint64_t place)
{
    const __uint128_t product = (__uint128_t)(block ^ UINT64_C(0x9e3779b97f4a7c15)) *
                                (UINT64_C(0xbf58476d1ce4e5b9) + (place << 1 | place << 32));
    const uint64_t mixed = (uint64_t)product ^ (uint64_t)(product >> 64);
    return (mixed ^ mixed >> 29) * UINT64_C(0x94d049bb133111eb);
}

#endif
