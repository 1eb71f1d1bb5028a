#include "predict/diff/renamed.h"

#include <string.h>

/* Whether two scopes that are left may be the same. */
typedef bool is_same(const struct ft_scope_locations sides[2], uint32_t a, uint32_t b);

static const struct ft_scope *scope_at(const struct ft_scope_locations sides[2], unsigned side,
                                       uint32_t scope)
{
    return &sides[side].scopes->scopes[scope];
}

static bool are_routines(const struct ft_scope_locations sides[2], uint32_t a, uint32_t b)
{
    const struct ft_scope_location *first = &sides[0].items[a], *second = &sides[1].items[b];
    return scope_at(sides, 0, a)->kind == FT_SCOPE_ROUTINE &&
           scope_at(sides, 1, b)->kind == FT_SCOPE_ROUTINE && first->file[0] &&
           strcmp(first->file, second->file) == 0;
}

static bool has_same_line(const struct ft_scope_locations sides[2], uint32_t a, uint32_t b)
{
    return are_routines(sides, a, b) && sides[0].items[a].relative_line > 0 &&
           sides[0].items[a].relative_line == sides[1].items[b].relative_line;
}

static bool has_same_shape(const struct ft_scope_locations sides[2], uint32_t a, uint32_t b)
{
    return are_routines(sides, a, b) && sides[0].items[a].shape != 0 &&
           sides[0].items[a].shape == sides[1].items[b].shape;
}

/* The only scope of the other side that is left and may be this one; FT_NO_MATCH: none, or more. */
static uint32_t only_match(const struct ft_scope_locations sides[2],
                           const struct ft_matching *matching, unsigned side, uint32_t scope,
                           is_same *same)
{
    uint32_t found = FT_NO_MATCH;
    for (uint32_t i = 1; i < sides[!side].scopes->scope_count; i++) {
        if (matching->of[!side][i].kind != FT_MATCH_NONE ||
            !(side ? same(sides, i, scope) : same(sides, scope, i)))
            continue;
        if (found != FT_NO_MATCH)
            return FT_NO_MATCH;
        found = i;
    }
    return found;
}

static void match_pairs(const struct ft_scope_locations sides[2], struct ft_matching *matching,
                        is_same *same, enum ft_match_kind kind)
{
    for (uint32_t i = 1; i < sides[0].scopes->scope_count; i++) {
        if (matching->of[0][i].kind != FT_MATCH_NONE)
            continue;
        const uint32_t other = only_match(sides, matching, 0, i, same);
        if (other == FT_NO_MATCH || only_match(sides, matching, 1, other, same) != i)
            continue;
        matching->of[0][i] = (struct ft_match){other, (uint8_t)kind};
        matching->of[1][other] = (struct ft_match){i, (uint8_t)kind};
    }
}

/* Whether two loops are on the same line, in routines that match, and as deep. */
static bool are_loops(const struct ft_scope_locations sides[2], const struct ft_matching *matching,
                      uint32_t a, uint32_t b)
{
    const struct ft_scope_location *first = &sides[0].items[a], *second = &sides[1].items[b];
    const struct ft_match *routine = &matching->of[0][first->routine];
    return scope_at(sides, 0, a)->kind == FT_SCOPE_LOOP &&
           scope_at(sides, 1, b)->kind == FT_SCOPE_LOOP && routine->kind != FT_MATCH_NONE &&
           routine->item == second->routine && strcmp(first->file, second->file) == 0 &&
           strcmp(first->name, second->name) == 0 &&
           first->relative_line == second->relative_line &&
           scope_at(sides, 0, a)->loop_depth == scope_at(sides, 1, b)->loop_depth;
}

static void match_loops(const struct ft_scope_locations sides[2], struct ft_matching *matching)
{
    for (uint32_t i = 1; i < sides[0].scopes->scope_count; i++)
        for (uint32_t j = 1; j < sides[1].scopes->scope_count; j++) {
            if (matching->of[0][i].kind != FT_MATCH_NONE ||
                matching->of[1][j].kind != FT_MATCH_NONE || !are_loops(sides, matching, i, j))
                continue;
            matching->of[0][i] = (struct ft_match){j, FT_MATCH_LINE};
            matching->of[1][j] = (struct ft_match){i, FT_MATCH_LINE};
        }
}

void ft_match_renamed(const struct ft_scope_locations sides[2], struct ft_matching *matching)
{
    match_pairs(sides, matching, has_same_line, FT_MATCH_LINE);
    match_pairs(sides, matching, has_same_shape, FT_MATCH_SHAPE);
    match_loops(sides, matching);
}
