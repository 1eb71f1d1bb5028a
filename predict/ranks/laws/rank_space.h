/*
 * What laws of a rank's calls may depend on: the parameters of the run and its ranks P; in each
 * direction x, y, z of the grid its parts Px, the rank's place x, its block of each parameter, as
 * Nx, and what is before that, as Nx0; the rank; the iterations i, j of the loops around a call;
 * the place k in a list. And classes of ranks by where they are.
 */
#ifndef FT_PREDICT_RANKS_LAWS_RANK_SPACE_H
#define FT_PREDICT_RANKS_LAWS_RANK_SPACE_H

#include "predict/ranks/laws/exact_law.h"
#include "predict/ranks/laws/rank_grid.h"

#define FT_RANK_PARAMETERS_MAX 4U
#define FT_RANK_COUNT_NAME     "P"

/* Whether a name of so many characters is that of the number of ranks. */
bool ft_is_rank_count_name(const char *name, size_t length);

/* What divides ranks among directions: MPI_Dims_create, or laws over parameters and P. */
struct ft_grid_division {
    bool is_by_law;
    struct ft_exact_law parts[FT_GRID_DIRECTIONS_MAX];
};

struct ft_rank_space {
    struct ft_law_variables variables;
    unsigned parameter_count, directions;
    struct ft_grid_division division;
    enum ft_block_rule rule;
    unsigned block, place, trip, item; /* variables: of the first block; x; i; k */
};

/* One size, or run: values of the parameters, and its ranks. */
struct ft_rank_size {
    int64_t parameters[FT_RANK_PARAMETERS_MAX];
    uint32_t ranks;
};

void ft_rank_space_init(struct ft_rank_space *space, const char *const *names, size_t count,
                        unsigned directions, enum ft_block_rule rule);
/* Whose directions all have at least a part. */
struct ft_rank_grid ft_rank_space_grid(const struct ft_rank_space *space,
                                       const struct ft_rank_size *size);
/* Outside of loops and lists. */
struct ft_law_point ft_rank_space_point(const struct ft_rank_space *space,
                                        const struct ft_rank_size *size, uint32_t rank);
/* In so many loops, whose iterations are given, the outermost first. */
void ft_rank_space_iterate(const struct ft_rank_space *space, const uint32_t *iterations,
                           uint32_t depth, struct ft_law_point *point);
/* The block of a parameter in a direction: the variable of its size. */
unsigned ft_rank_space_block(const struct ft_rank_space *space, unsigned parameter,
                             unsigned direction);
/* Whether a variable depends on how ranks are divided among directions. */
bool ft_rank_space_is_of_grid(const struct ft_rank_space *space, unsigned variable);

/* What may tell ranks apart whose laws differ. */
enum ft_rank_key {
    FT_RANKS_ALIKE,
    FT_RANKS_ROOT, /* rank 0, and others */
    FT_RANKS_BY_X, /* first, inside, last, alone */
    FT_RANKS_BY_Y,
    FT_RANKS_BY_Z,
    FT_RANKS_BY_POSITION,        /* in all directions */
    FT_RANKS_BY_PARITY,          /* of the sum of the places */
    FT_RANKS_BY_PARITY_POSITION, /* both */
    FT_RANK_KEYS
};
/* Whether the key tells something in so many directions. */
bool ft_rank_key_is_of(enum ft_rank_key key, unsigned directions);
uint32_t ft_rank_category(enum ft_rank_key key, const struct ft_rank_grid *grid, uint32_t rank);
/* "rank 0", "first in x, inside in y". */
#define FT_CATEGORY_TEXT 120
char *ft_rank_category_text(char text[FT_CATEGORY_TEXT], enum ft_rank_key key,
                            const struct ft_rank_grid *grid, uint32_t rank);

#endif
