/*
 * Linear expressions: sums of symbols (registers at the entry of a routine, loaded values ...) with
 * rational coefficients, and a constant; addresses and strides are such expressions (Marin &
 * Mellor-Crummey 2005, section 2.1). Arithmetic is exact: an operation whose result does not fit
 * fails. Plain values, thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_LINEAR_EXPR_H
#define FT_ENGINE_PROGRAM_VALUES_LINEAR_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#define FT_LINEAR_EXPR_TERMS_MAX 10
#define FT_ONE                   0 /* the symbol whose coefficient is the constant */

struct ft_term {
    uint32_t symbol;
    int64_t numerator;
    int64_t denominator; /* positive; the fraction is in lowest terms */
};

struct ft_linear_expr {
    uint32_t count;                                 /* 0: the expression is 0 */
    struct ft_term terms[FT_LINEAR_EXPR_TERMS_MAX]; /* by symbol, none 0 */
};

struct ft_linear_expr ft_linear_expr_constant(int64_t value);
struct ft_linear_expr ft_linear_expr_symbol(uint32_t symbol);

/* expr += numerator/denominator * added; false, and expr unchanged, if a number or the expression
 * becomes too large. */
bool ft_linear_expr_add(struct ft_linear_expr *expr, const struct ft_linear_expr *added,
                        int64_t numerator, int64_t denominator);
bool ft_linear_expr_add_constant(struct ft_linear_expr *expr, int64_t constant);
/* The term of a symbol (of FT_ONE: the constant), {0} if the expression does not have it. */
struct ft_term ft_linear_expr_term(const struct ft_linear_expr *expr, uint32_t symbol);
void ft_linear_expr_remove(struct ft_linear_expr *expr, uint32_t symbol);

bool ft_linear_expr_equal(const struct ft_linear_expr *a, const struct ft_linear_expr *b);
/* Whether it is an integer constant, and which. */
bool ft_linear_expr_is_constant(const struct ft_linear_expr *expr, int64_t *ret_value);
/* Whether all coefficients are integers. */
bool ft_linear_expr_is_integral(const struct ft_linear_expr *expr);

#endif
