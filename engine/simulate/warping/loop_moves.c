/*
 * Two cases. If all accesses move alike, so may all blocks, whatever they are: the sets of the
 * cache rotate. If not, each moves with the accesses in whose range it is, and those in none stay;
 * ranges that move differently must have no block in common, and move by multiples of all sets.
 */
#include "engine/simulate/warping/loop_moves.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/base/common_divisor.h"

#define EXTENT_MAX (INT64_C(1) << 46) /* bytes that a loop may move over */

void ft_block_moves_fini(struct ft_block_moves *moves)
{
    free(moves->ranges);
    *moves = (struct ft_block_moves){0};
}

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* The blocks of an access in all iterations. False: they are not as far apart as their places. */
static bool range_of(const struct ft_loop_accesses *accesses, const struct ft_nest_hull *hull,
                     unsigned shift, struct ft_moved_range *ret_range)
{
    const int64_t step = (int64_t)hull->step;
    int64_t before, behind;
    if (__builtin_mul_overflow(step, (int64_t)accesses->done, &before) ||
        __builtin_mul_overflow(step, (int64_t)(accesses->left - 1), &behind) ||
        magnitude(before) > EXTENT_MAX || magnitude(behind) > EXTENT_MAX)
        return false;
    const int64_t down = step < 0 ? behind : -before, up = step < 0 ? -before : behind;
    const uint64_t start = hull->first + (uint64_t)down, end = hull->last + (uint64_t)up;
    if (!ft_places_stay(accesses->places, start, end))
        return false;
    const uint32_t bytes = accesses->references[ft_nest_id(*hull->token)].size_bytes;
    const uint64_t address = ft_place_address(accesses->places, start);
    *ret_range = (struct ft_moved_range){
        .first = address >> shift,
        .last = (address + (end - start) + (bytes ? bytes - 1 : 0)) >> shift,
        .step = step,
    };
    return true;
}

static int by_first(const void *a, const void *b)
{
    const uint64_t first = ((const struct ft_moved_range *)a)->first;
    const uint64_t other = ((const struct ft_moved_range *)b)->first;
    return (first > other) - (first < other);
}

/* Joins those that overlap, and leaves out what stays. False: some overlap that move differently.
 */
static bool join_ranges(struct ft_block_moves *moves)
{
    struct ft_moved_range *ranges = moves->ranges;
    size_t joined = 0;
    qsort(ranges, moves->range_count, sizeof *ranges, by_first);
    for (size_t i = 1; i < moves->range_count; i++) {
        if (ranges[i].first > ranges[joined].last) {
            ranges[++joined] = ranges[i];
            continue;
        }
        if (ranges[i].step != ranges[joined].step)
            return false;
        if (ranges[i].last > ranges[joined].last)
            ranges[joined].last = ranges[i].last;
    }
    const size_t count = joined + 1;
    moves->range_count = 0;
    for (size_t i = 0; i < count; i++)
        if (ranges[i].step)
            ranges[moves->range_count++] = ranges[i];
    return true;
}

/* The least common multiple of the period and the iterations in which a step comes to a multiple of
 * some bytes; false: more than `most`. */
static bool lengthen(uint64_t *period, uint64_t step, uint64_t bytes, uint64_t most)
{
    const uint64_t own = bytes / (uint64_t)ft_common_divisor(bytes, step);
    const uint64_t factor = own / (uint64_t)ft_common_divisor(*period, own);
    if (factor > most / *period)
        return false;
    *period *= factor;
    return true;
}

/* The whole of step * period is a multiple of a block. */
static uint64_t blocks_of(int64_t step, uint64_t period, unsigned shift)
{
    const uint64_t blocks = magnitude(step) * period >> shift;
    return step < 0 ? 0 - blocks : blocks;
}

bool ft_loop_moves_find(const struct ft_loop_accesses *accesses, uint64_t block_bytes,
                        uint64_t sets, struct ft_block_moves *ret_moves, bool *ret_has_memory)
{
    const unsigned shift = (unsigned)__builtin_ctzll(block_bytes);
    const uint64_t most = accesses->left / 3;
    struct ft_block_moves *moves = ret_moves;
    *ret_has_memory = FT_RESERVE(moves->ranges, moves->range_capacity, accesses->count);
    if (!*ret_has_memory || accesses->count == 0 || most == 0)
        return false;
    moves->is_uniform = true;
    moves->period = 1;
    moves->range_count = accesses->count;
    for (size_t i = 0; i < accesses->count; i++) {
        if (!range_of(accesses, &accesses->hulls[i], shift, &moves->ranges[i]))
            return false;
        moves->is_uniform = moves->is_uniform && moves->ranges[i].step == moves->ranges[0].step;
    }
    if (moves->is_uniform) {
        const int64_t step = moves->ranges[0].step;
        const uint64_t bytes = block_bytes * (accesses->may_rotate ? 1 : sets);
        if (!lengthen(&moves->period, magnitude(step), bytes, most))
            return false;
        moves->by = blocks_of(step, moves->period, shift);
        return true;
    }
    if (!join_ranges(moves))
        return false;
    for (size_t i = 0; i < moves->range_count; i++)
        if (!lengthen(&moves->period, magnitude(moves->ranges[i].step), block_bytes * sets, most))
            return false;
    for (size_t i = 0; i < moves->range_count; i++)
        moves->ranges[i].by = blocks_of(moves->ranges[i].step, moves->period, shift);
    return true;
}
