#include "engine/program/values/expr_bases.h"

#include <stdlib.h>

#include "engine/program/values/value_exprs.h"
#include "formats/base/array.h"

void ft_expr_bases_begin(struct ft_expr_bases *bases, uint32_t before)
{
    bases->count = 0;
    bases->before = before;
    ft_hash_table_clear(&bases->indices);
}

bool ft_expr_base(struct ft_expr_bases *bases, const struct ft_linear_expr *expr,
                  uint32_t *ret_base)
{
    struct ft_linear_expr base = *expr;
    ft_linear_expr_remove(&base, FT_ONE);
    *ret_base = 0;
    if (base.count == 0)
        return true;
    const uint32_t hash = ft_linear_expr_hash(&base);
    uint32_t index;
    for (size_t probe = hash; ft_hash_next(&bases->indices, hash, &probe, &index);)
        if (ft_linear_expr_equal(&bases->exprs[index], &base)) {
            *ret_base = bases->before + index + 1;
            return true;
        }
    if (!FT_RESERVE(bases->exprs, bases->expr_capacity, bases->count + (size_t)1) ||
        !ft_hash_table_add(&bases->indices, hash, bases->count))
        return false;
    bases->exprs[bases->count++] = base;
    *ret_base = bases->before + bases->count;
    return true;
}

void ft_expr_bases_fini(struct ft_expr_bases *bases)
{
    free(bases->exprs);
    ft_hash_table_fini(&bases->indices);
    *bases = (struct ft_expr_bases){0};
}
