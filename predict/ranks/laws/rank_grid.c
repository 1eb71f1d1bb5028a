#include "predict/ranks/laws/rank_grid.h"

static void multiply_smallest(struct ft_rank_grid *grid, uint32_t factor)
{
    unsigned smallest = 0;
    for (unsigned d = 1; d < grid->directions; d++)
        if (grid->parts[d] < grid->parts[smallest])
            smallest = d;
    grid->parts[smallest] *= factor;
}

static void sort_descending(struct ft_rank_grid *grid)
{
    for (unsigned d = 1; d < grid->directions; d++)
        for (unsigned k = d; k > 0 && grid->parts[k] > grid->parts[k - 1]; k--) {
            const uint32_t parts = grid->parts[k];
            grid->parts[k] = grid->parts[k - 1];
            grid->parts[k - 1] = parts;
        }
}

struct ft_rank_grid ft_rank_grid_of(uint32_t ranks, unsigned directions)
{
    struct ft_rank_grid grid = {.ranks = ranks, .directions = directions};
    uint32_t factors[32], count = 0, rest = ranks;
    for (unsigned d = 0; d < FT_GRID_DIRECTIONS_MAX; d++)
        grid.parts[d] = 1;
    for (uint32_t factor = 2; rest > 1; factor++) {
        if (factor > rest / factor)
            factor = rest; /* what is left is prime */
        for (; rest % factor == 0; rest /= factor)
            factors[count++] = factor;
    }
    while (count > 0 && directions > 0)
        multiply_smallest(&grid, factors[--count]);
    sort_descending(&grid);
    return grid;
}

struct ft_rank_place ft_rank_grid_place(const struct ft_rank_grid *grid, uint32_t rank)
{
    struct ft_rank_place place = {{0}};
    for (unsigned d = grid->directions; d-- > 0; rank /= grid->parts[d])
        place.at[d] = rank % grid->parts[d];
    return place;
}

bool ft_rank_grid_shift(const struct ft_rank_grid *grid, uint32_t rank,
                        const struct ft_rank_shift *shift, uint32_t *ret_rank)
{
    const struct ft_rank_place place = ft_rank_grid_place(grid, rank);
    uint32_t to = 0;
    for (unsigned d = 0; d < grid->directions; d++) {
        const int64_t parts = grid->parts[d];
        int64_t at = (int64_t)place.at[d] + shift->by[d];
        if (shift->wraps)
            at = (at % parts + parts) % parts;
        if (at < 0 || at >= parts)
            return false;
        to = to * grid->parts[d] + (uint32_t)at;
    }
    *ret_rank = to;
    return true;
}

enum ft_rank_position ft_rank_grid_position(const struct ft_rank_grid *grid, uint32_t rank,
                                            unsigned direction)
{
    const uint32_t at = ft_rank_grid_place(grid, rank).at[direction];
    if (grid->parts[direction] == 1)
        return FT_RANK_ALONE;
    if (at == 0)
        return FT_RANK_FIRST;
    return at + 1 == grid->parts[direction] ? FT_RANK_LAST : FT_RANK_INSIDE;
}

struct ft_block_range ft_block_of(enum ft_block_rule rule, int64_t points, uint32_t parts,
                                  uint32_t part)
{
    const int64_t quotient = points / parts, rest = points % parts;
    const int64_t up = quotient + (rest > 0);
    struct ft_block_range range = {0};
    switch (rule) {
    case FT_BLOCKS_FIRST_MORE:
        range.first = quotient * part + (part < rest ? part : rest);
        range.size = quotient + (part < rest);
        break;
    case FT_BLOCKS_LAST_ALL:
        range.first = quotient * part;
        range.size = quotient + (part + 1 == parts ? rest : 0);
        break;
    case FT_BLOCKS_ROUNDED_UP:
        range.first = up * part < points ? up * part : points;
        range.size = up < points - range.first ? up : points - range.first;
        break;
    default:
        range.first = points * part / parts;
        range.size = points * (part + 1) / parts - range.first;
    }
    return range;
}
