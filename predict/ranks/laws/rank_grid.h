/*
 * Ranks as a Cartesian grid, in the order that MPI_Cart_create gives them (the last direction
 * varies fastest), divided as MPI_Dims_create divides; and blocks of so many points, one for each
 * part of a direction. Pure and thread safe.
 */
#ifndef FT_PREDICT_RANKS_LAWS_RANK_GRID_H
#define FT_PREDICT_RANKS_LAWS_RANK_GRID_H

#include <stdbool.h>
#include <stdint.h>

#define FT_GRID_DIRECTIONS_MAX 3U

struct ft_rank_grid {
    uint32_t ranks;
    unsigned directions;
    uint32_t parts[FT_GRID_DIRECTIONS_MAX]; /* 1 beyond the directions */
};

/* As Open MPI's MPI_Dims_create, descending: prime factors, the largest first, go to the smallest
 * direction. */
struct ft_rank_grid ft_rank_grid_of(uint32_t ranks, unsigned directions);

struct ft_rank_place {
    uint32_t at[FT_GRID_DIRECTIONS_MAX];
};
struct ft_rank_place ft_rank_grid_place(const struct ft_rank_grid *grid, uint32_t rank);

/* A step from a rank to another; wraps: around the ends, in all directions. */
struct ft_rank_shift {
    int32_t by[FT_GRID_DIRECTIONS_MAX];
    bool wraps;
};
/* False: it leads out of the grid. */
bool ft_rank_grid_shift(const struct ft_rank_grid *grid, uint32_t rank,
                        const struct ft_rank_shift *shift, uint32_t *ret_rank);

/* Where a rank is in a direction. */
enum ft_rank_position {
    FT_RANK_ALONE,
    FT_RANK_FIRST,
    FT_RANK_INSIDE,
    FT_RANK_LAST,
    FT_RANK_POSITIONS
};
enum ft_rank_position ft_rank_grid_position(const struct ft_rank_grid *grid, uint32_t rank,
                                            unsigned direction);

/* How points are divided among the parts of a direction, where they do not divide evenly. */
enum ft_block_rule {
    FT_BLOCKS_SPREAD,     /* from points * part / parts on */
    FT_BLOCKS_FIRST_MORE, /* the first parts have one more */
    FT_BLOCKS_LAST_ALL,   /* the last part has all that is left */
    FT_BLOCKS_ROUNDED_UP, /* all have the quotient rounded up, but the last ones */
    FT_BLOCK_RULES
};
struct ft_block_range {
    int64_t first, size;
};
struct ft_block_range ft_block_of(enum ft_block_rule rule, int64_t points, uint32_t parts,
                                  uint32_t part);

#endif
