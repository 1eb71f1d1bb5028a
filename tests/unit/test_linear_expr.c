/*
 * Expressions with rational factors: exact, or refused.
 */
#include "engine/program/values/linear_expr.h"

#include "tests/support/tap.h"

static struct ft_linear_expr sum_of(int64_t constant, uint32_t unknown, int64_t numerator,
                                    int64_t denominator)
{
    struct ft_linear_expr expr = ft_linear_expr_constant(constant),
                          added = ft_linear_expr_symbol(unknown);
    ft_linear_expr_add(&expr, &added, numerator, denominator);
    return expr;
}

int main(void)
{
    struct ft_linear_expr a = sum_of(12, 3, 8, 1), b = sum_of(-12, 3, -8, 1),
                          c = sum_of(1, 2, 1, 6);
    struct ft_linear_expr expr = a;
    int64_t constant = 1;
    tap_ok(ft_linear_expr_add(&expr, &b, 1, 1) && expr.count == 0 &&
               ft_linear_expr_is_constant(&expr, &constant) && constant == 0,
           "terms that cancel are gone");
    expr = a;
    tap_ok(ft_linear_expr_add(&expr, &c, 2, 1) && expr.count == 3 &&
               expr.terms[0].symbol == FT_ONE && expr.terms[0].numerator == 14 &&
               expr.terms[1].symbol == 2 && expr.terms[1].numerator == 1 &&
               expr.terms[1].denominator == 3 && expr.terms[2].numerator == 8 &&
               !ft_linear_expr_is_integral(&expr),
           "sorted by unknown, fractions in lowest terms");
    tap_ok(ft_linear_expr_add(&expr, &c, 4, 1) && ft_linear_expr_is_integral(&expr) &&
               ft_linear_expr_term(&expr, 2).numerator == 1,
           "1/3 + 2/3 is whole");
    expr = ft_linear_expr_constant(INT64_MAX);
    struct ft_linear_expr one = ft_linear_expr_constant(1), before = expr;
    tap_ok(!ft_linear_expr_add(&expr, &one, 1, 1) && ft_linear_expr_equal(&expr, &before),
           "what does not fit is refused and changes nothing");
    expr = ft_linear_expr_constant(INT64_MIN);
    tap_ok(!ft_linear_expr_add(&expr, &expr, INT64_MIN, 1), "products that do not fit are refused");
    expr = (struct ft_linear_expr){0};
    bool fits = true;
    for (uint32_t i = 1; i <= FT_LINEAR_EXPR_TERMS_MAX; i++) {
        struct ft_linear_expr unknown = ft_linear_expr_symbol(i);
        fits &= ft_linear_expr_add(&expr, &unknown, 1, 1);
    }
    struct ft_linear_expr more = ft_linear_expr_symbol(FT_LINEAR_EXPR_TERMS_MAX + 1);
    tap_ok(fits && !ft_linear_expr_add(&expr, &more, 1, 1) &&
               expr.count == FT_LINEAR_EXPR_TERMS_MAX,
           "so many terms and no more");
    ft_linear_expr_remove(&expr, 4);
    tap_ok(expr.count == FT_LINEAR_EXPR_TERMS_MAX - 1 &&
               ft_linear_expr_term(&expr, 4).denominator == 0,
           "removed terms are gone");
    return tap_plan_done();
}
