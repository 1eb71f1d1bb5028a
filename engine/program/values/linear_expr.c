/*
 * Terms are kept sorted by symbol and merged as sorted lists. Products are computed in 128 bits and
 * must fit in 64 again.
 */
#include "engine/program/values/linear_expr.h"

#include <string.h>

#include "formats/base/common_divisor.h"

struct ft_linear_expr ft_linear_expr_constant(int64_t value)
{
    struct ft_linear_expr expr = {0};
    if (value) {
        expr.count = 1;
        expr.terms[0] = (struct ft_term){FT_ONE, value, 1};
    }
    return expr;
}

struct ft_linear_expr ft_linear_expr_symbol(uint32_t symbol)
{
    struct ft_linear_expr expr = {.count = 1};
    expr.terms[0] = (struct ft_term){symbol, 1, 1};
    return expr;
}

/* A fraction in lowest terms; false where it does not fit. */
static bool make_fraction(ft_int128 numerator, ft_int128 denominator, struct ft_term *term)
{
    ft_int128 divisor = denominator == 1 ? 1
                                         : (ft_int128)ft_common_divisor(ft_magnitude(numerator),
                                                                        (ft_uint128)denominator);
    numerator /= divisor;
    denominator /= divisor;
    if (numerator > INT64_MAX || numerator < INT64_MIN || denominator > INT64_MAX)
        return false;
    term->numerator = (int64_t)numerator;
    term->denominator = (int64_t)denominator;
    return true;
}

/* a + factor * b, of one symbol; a is {0} if there is no such term yet. */
static bool add_term(struct ft_term *a, const struct ft_term *b, int64_t numerator,
                     int64_t denominator)
{
    struct ft_term product;
    if (!make_fraction((ft_int128)b->numerator * numerator, (ft_int128)b->denominator * denominator,
                       &product))
        return false;
    if (!a->denominator) {
        *a = (struct ft_term){b->symbol, product.numerator, product.denominator};
        return true;
    }
    ft_int128 left, right, above, below = (ft_int128)a->denominator * product.denominator;
    left = (ft_int128)a->numerator * product.denominator;
    right = (ft_int128)product.numerator * a->denominator;
    return !__builtin_add_overflow(left, right, &above) && make_fraction(above, below, a);
}

bool ft_linear_expr_add(struct ft_linear_expr *expr, const struct ft_linear_expr *added,
                        int64_t numerator, int64_t denominator)
{
    struct ft_linear_expr result = {0};
    uint32_t i = 0, j = 0;
    if (numerator == 0)
        return true;
    while (i < expr->count || j < added->count) {
        struct ft_term term = {0};
        if (j == added->count ||
            (i < expr->count && expr->terms[i].symbol <= added->terms[j].symbol))
            term = expr->terms[i++];
        if (j < added->count && (!term.denominator || term.symbol == added->terms[j].symbol) &&
            !add_term(&term, &added->terms[j++], numerator, denominator))
            return false;
        if (term.numerator == 0)
            continue;
        if (result.count == FT_LINEAR_EXPR_TERMS_MAX)
            return false;
        result.terms[result.count++] = term;
    }
    *expr = result;
    return true;
}

bool ft_linear_expr_add_constant(struct ft_linear_expr *expr, int64_t constant)
{
    struct ft_linear_expr added = ft_linear_expr_constant(constant);
    return ft_linear_expr_add(expr, &added, 1, 1);
}

struct ft_term ft_linear_expr_term(const struct ft_linear_expr *expr, uint32_t symbol)
{
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->terms[i].symbol == symbol)
            return expr->terms[i];
    return (struct ft_term){0};
}

void ft_linear_expr_remove(struct ft_linear_expr *expr, uint32_t symbol)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->terms[i].symbol != symbol)
            expr->terms[kept++] = expr->terms[i];
    expr->count = kept;
}

bool ft_linear_expr_equal(const struct ft_linear_expr *a, const struct ft_linear_expr *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].symbol != b->terms[i].symbol ||
            a->terms[i].numerator != b->terms[i].numerator ||
            a->terms[i].denominator != b->terms[i].denominator)
            return false;
    return true;
}

bool ft_linear_expr_is_constant(const struct ft_linear_expr *expr, int64_t *ret_value)
{
    if (expr->count > 1 ||
        (expr->count == 1 && (expr->terms[0].symbol != FT_ONE || expr->terms[0].denominator != 1)))
        return false;
    *ret_value = expr->count ? expr->terms[0].numerator : 0;
    return true;
}

bool ft_linear_expr_is_integral(const struct ft_linear_expr *expr)
{
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->terms[i].denominator != 1)
            return false;
    return true;
}
