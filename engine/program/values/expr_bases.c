/*
 * A hash table with open addressing, at most half full.
 */
#include "engine/program/values/expr_bases.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/values/value_exprs.h"
#include "formats/base/array.h"

#define SLOTS_MIN 64

void ft_expr_bases_begin(struct ft_expr_bases *bases, uint32_t before)
{
    bases->count = 0;
    bases->before = before;
    if (bases->slot_count)
        memset(bases->slots, 0, bases->slot_count * sizeof *bases->slots);
}

/* The slot of an expression, or the free one for it. */
static uint32_t *slot_of(struct ft_expr_bases *bases, const struct ft_linear_expr *expr)
{
    size_t at = ft_linear_expr_hash(expr) % bases->slot_count;
    while (bases->slots[at] && !ft_linear_expr_equal(&bases->exprs[bases->slots[at] - 1], expr))
        at = (at + 1) % bases->slot_count;
    return &bases->slots[at];
}

static bool make_room(struct ft_expr_bases *bases)
{
    if (!FT_RESERVE(bases->exprs, bases->expr_capacity, bases->count + (size_t)1))
        return false;
    if (bases->slot_count > 2 * (size_t)bases->count)
        return true;
    size_t slots = bases->slot_count ? 2 * bases->slot_count : SLOTS_MIN;
    if (!FT_RESERVE(bases->slots, bases->slot_capacity, slots))
        return false;
    bases->slot_count = slots;
    memset(bases->slots, 0, slots * sizeof *bases->slots);
    for (uint32_t i = 0; i < bases->count; i++)
        *slot_of(bases, &bases->exprs[i]) = i + 1;
    return true;
}

bool ft_expr_base(struct ft_expr_bases *bases, const struct ft_linear_expr *expr,
                  uint32_t *ret_base)
{
    struct ft_linear_expr base = *expr;
    ft_linear_expr_remove(&base, FT_ONE);
    *ret_base = 0;
    if (base.count == 0)
        return true;
    if (!make_room(bases))
        return false;
    uint32_t *slot = slot_of(bases, &base);
    if (*slot == 0) {
        bases->exprs[bases->count] = base;
        *slot = ++bases->count;
    }
    *ret_base = bases->before + *slot;
    return true;
}

void ft_expr_bases_fini(struct ft_expr_bases *bases)
{
    free(bases->exprs);
    free(bases->slots);
    *bases = (struct ft_expr_bases){0};
}
