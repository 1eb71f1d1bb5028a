/*
 * Numbers the expressions of a routine up to constants: two have the same base if and only if they
 * differ by a constant. Reused for one routine after another.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_EXPR_BASES_H
#define FT_ENGINE_PROGRAM_VALUES_EXPR_BASES_H

#include <stddef.h>

#include "engine/program/values/linear_expr.h"
#include "formats/base/hash_table.h"

struct ft_expr_bases {
    struct ft_linear_expr *exprs; /* without constants */
    uint32_t count;
    uint32_t before;              /* bases of earlier routines */
    struct ft_hash_table indices; /* of exprs */
    size_t expr_capacity;
};

/* Starts another routine. `bases` is {0} or was used before; the new numbers are above `before`. */
void ft_expr_bases_begin(struct ft_expr_bases *bases, uint32_t before);
/* False when out of memory. Base 0: the expression is a constant. */
bool ft_expr_base(struct ft_expr_bases *bases, const struct ft_linear_expr *expr,
                  uint32_t *ret_base);
void ft_expr_bases_fini(struct ft_expr_bases *bases);

#endif
