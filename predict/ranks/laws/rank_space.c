/*
 * In order: variables; points; classes of ranks.
 */
#include "predict/ranks/laws/rank_space.h"

#include <stdio.h>
#include <string.h>

static const char direction_names[FT_GRID_DIRECTIONS_MAX][2] = {"x", "y", "z"};
static const char first_names[FT_GRID_DIRECTIONS_MAX][3] = {"x0", "y0", "z0"};

/* ---- variables ---- */

bool ft_is_rank_count_name(const char *name, size_t length)
{
    return length == strlen(FT_RANK_COUNT_NAME) && strncmp(name, FT_RANK_COUNT_NAME, length) == 0;
}

/* "Nx0" of the name, the direction and what is behind it. */
static unsigned add(struct ft_law_variables *variables, bool is_size, const char *name,
                    const char *behind)
{
    const unsigned index = variables->count++;
    snprintf(variables->names[index], sizeof variables->names[index], "%.8s%s", name, behind);
    variables->is_size[index] = is_size;
    return index;
}

void ft_rank_space_init(struct ft_rank_space *space, const char *const *names, size_t count,
                        unsigned directions, enum ft_block_rule rule)
{
    struct ft_law_variables *variables = &space->variables;
    *space = (struct ft_rank_space){
        .parameter_count = (unsigned)count, .directions = directions, .rule = rule};
    for (size_t q = 0; q < count; q++)
        add(variables, true, names[q], "");
    add(variables, true, FT_RANK_COUNT_NAME, "");
    for (unsigned d = 0; directions > 1 && d < directions; d++)
        add(variables, true, FT_RANK_COUNT_NAME, direction_names[d]);
    space->block = variables->count;
    for (size_t q = 0; q < count; q++)
        for (unsigned d = 0; d < directions; d++)
            add(variables, true, names[q], direction_names[d]);
    add(variables, false, "rank", "");
    space->place = variables->count;
    for (unsigned d = 0; directions > 1 && d < directions; d++)
        add(variables, false, "", direction_names[d]);
    for (size_t q = 0; q < count; q++)
        for (unsigned d = 0; d < directions; d++)
            add(variables, false, names[q], first_names[d]);
    space->trip = add(variables, false, "i", "");
    add(variables, false, "j", "");
    space->item = add(variables, false, "k", "");
}

unsigned ft_rank_space_block(const struct ft_rank_space *space, unsigned parameter,
                             unsigned direction)
{
    return space->block + parameter * space->directions + direction;
}

bool ft_rank_space_is_of_grid(const struct ft_rank_space *space, unsigned variable)
{
    return variable > space->parameter_count && variable < space->trip &&
           variable + 1 != space->place; /* which is the rank */
}

/* ---- points ---- */

struct ft_rank_grid ft_rank_space_grid(const struct ft_rank_space *space,
                                       const struct ft_rank_size *size)
{
    struct ft_rank_grid grid = ft_rank_grid_of(size->ranks, space->directions);
    struct ft_law_point point = {{0}};
    if (!space->division.is_by_law)
        return grid;
    for (unsigned q = 0; q < space->parameter_count; q++)
        point.values[q] = size->parameters[q];
    point.values[space->parameter_count] = size->ranks;
    for (unsigned d = 0; d < space->directions; d++) {
        int64_t parts = 1;
        if (!ft_exact_law_at(&space->division.parts[d], &point, &parts) || parts < 1)
            parts = 1; /* of a size that no run has */
        grid.parts[d] = (uint32_t)parts;
    }
    return grid;
}

struct ft_law_point ft_rank_space_point(const struct ft_rank_space *space,
                                        const struct ft_rank_size *size, uint32_t rank)
{
    const struct ft_rank_grid grid = ft_rank_space_grid(space, size);
    const struct ft_rank_place place = ft_rank_grid_place(&grid, rank);
    struct ft_law_point point = {{0}};
    unsigned at = 0;
    for (unsigned q = 0; q < space->parameter_count; q++)
        point.values[at++] = size->parameters[q];
    point.values[at++] = size->ranks;
    for (unsigned d = 0; space->directions > 1 && d < space->directions; d++)
        point.values[at++] = grid.parts[d];
    const unsigned first = space->place + (space->directions > 1 ? space->directions : 0);
    for (unsigned q = 0; q < space->parameter_count; q++)
        for (unsigned d = 0; d < space->directions; d++) {
            const struct ft_block_range range =
                ft_block_of(space->rule, size->parameters[q], grid.parts[d], place.at[d]);
            point.values[ft_rank_space_block(space, q, d)] = range.size;
            point.values[first + q * space->directions + d] = range.first;
        }
    point.values[space->place - 1] = rank;
    for (unsigned d = 0; space->directions > 1 && d < space->directions; d++)
        point.values[space->place + d] = place.at[d];
    return point;
}

void ft_rank_space_iterate(const struct ft_rank_space *space, const uint32_t *iterations,
                           uint32_t depth, struct ft_law_point *point)
{
    point->values[space->trip] = depth > 0 ? iterations[depth - 1] : 0;
    point->values[space->trip + 1] = depth > 1 ? iterations[depth - 2] : 0;
}

/* ---- classes of ranks ---- */

bool ft_rank_key_is_of(enum ft_rank_key key, unsigned directions)
{
    switch (key) {
    case FT_RANKS_BY_X:
        return directions >= 1;
    case FT_RANKS_BY_Y:
        return directions >= 2;
    case FT_RANKS_BY_Z:
        return directions >= 3;
    case FT_RANKS_BY_POSITION:
        return directions >= 2;
    default:
        return true;
    }
}

static uint32_t positions_of(const struct ft_rank_grid *grid, uint32_t rank)
{
    uint32_t category = 0;
    for (unsigned d = 0; d < grid->directions; d++)
        category = category * FT_RANK_POSITIONS + ft_rank_grid_position(grid, rank, d);
    return category;
}

static uint32_t parity_of(const struct ft_rank_grid *grid, uint32_t rank)
{
    const struct ft_rank_place place = ft_rank_grid_place(grid, rank);
    uint32_t sum = 0;
    for (unsigned d = 0; d < grid->directions; d++)
        sum += place.at[d];
    return sum % 2;
}

uint32_t ft_rank_category(enum ft_rank_key key, const struct ft_rank_grid *grid, uint32_t rank)
{
    switch (key) {
    case FT_RANKS_ROOT:
        return rank == 0;
    case FT_RANKS_BY_X:
    case FT_RANKS_BY_Y:
    case FT_RANKS_BY_Z:
        return ft_rank_grid_position(grid, rank, (unsigned)(key - FT_RANKS_BY_X));
    case FT_RANKS_BY_POSITION:
        return positions_of(grid, rank);
    case FT_RANKS_BY_PARITY:
        return parity_of(grid, rank);
    case FT_RANKS_BY_PARITY_POSITION:
        return 2 * positions_of(grid, rank) + parity_of(grid, rank);
    default:
        return 0;
    }
}

char *ft_rank_category_text(char text[FT_CATEGORY_TEXT], enum ft_rank_key key,
                            const struct ft_rank_grid *grid, uint32_t rank)
{
    static const char names[FT_RANK_POSITIONS][8] = {"alone", "first", "inside", "last"};
    size_t length = 0;
    text[0] = 0;
    if (key == FT_RANKS_ROOT)
        snprintf(text, FT_CATEGORY_TEXT, rank == 0 ? "rank 0" : "above rank 0");
    if (key == FT_RANKS_BY_PARITY || key == FT_RANKS_BY_PARITY_POSITION)
        length +=
            (size_t)snprintf(text, FT_CATEGORY_TEXT, "%s", parity_of(grid, rank) ? "odd" : "even");
    for (unsigned d = 0; d < grid->directions; d++)
        if (key == FT_RANKS_BY_POSITION || key == FT_RANKS_BY_PARITY_POSITION ||
            key == FT_RANKS_BY_X + d)
            length += (size_t)snprintf(
                text + length, FT_CATEGORY_TEXT - length, "%s%s in %s", length ? ", " : "",
                names[ft_rank_grid_position(grid, rank, d)], direction_names[d]);
    return text;
}
