#include "fit/expectation.h"

#include <math.h>

#define COUNT_ROUNDING    0.5 /* of counts of blocks: arrays start anywhere in a block */
#define DISTANCE_ROUNDING 0.1 /* of mean distances */

/* The terms that matter in a function at the largest size and beyond. */
static uint32_t terms_of(const struct ft_axis *axis, const struct ft_function *function)
{
    double n = FT_GRID_REACH * axis->n[axis->count - 1];
    double least = 1e-6 * ft_function_at(function, n);
    uint32_t terms = 1U << FT_BASIS_ONE;
    for (int term = 0; term < FT_BASIS_COUNT; term++)
        if (fabs(function->coefficients[term] * ft_basis_at((enum ft_basis)term, n)) > least)
            terms |= 1U << term;
    return terms;
}

static enum ft_basis leading_term(const struct ft_axis *axis, const struct ft_function *function)
{
    uint32_t terms = terms_of(axis, function);
    size_t i = FT_BASIS_COUNT - 1;
    while (i > 0 && !(terms >> ft_basis_by_growth[i] & 1))
        i--;
    return ft_basis_by_growth[i];
}

#define LOGARITHMS (1U << FT_BASIS_LOG | 1U << FT_BASIS_NLOG)

/* Powers of n up to an exponent. */
static uint32_t powers_up_to(double exponent)
{
    uint32_t terms = 0;
    for (int term = 0; term < FT_BASIS_COUNT; term++)
        if (ft_basis_exponent((enum ft_basis)term) <= exponent && !(LOGARITHMS >> term & 1))
            terms |= 1U << term;
    return terms;
}

struct ft_expectation ft_expect_nothing(void)
{
    return (struct ft_expectation){.terms = powers_up_to(3),
                                   .further = LOGARITHMS,
                                   .scattered = powers_up_to(3) | 1U << FT_BASIS_NLOG,
                                   .rounding = COUNT_ROUNDING,
                                   .leading = FT_BASIS_COUNT};
}

struct ft_expectation ft_expect_part(const struct ft_axis *axis, const struct ft_function *whole)
{
    enum ft_basis leading = leading_term(axis, whole);
    double exponent = ft_basis_exponent(leading);
    return (struct ft_expectation){.terms = powers_up_to(exponent) | 1U << leading,
                                   .further = LOGARITHMS,
                                   .faster = powers_up_to(exponent + 1),
                                   .rounding = COUNT_ROUNDING,
                                   .leading = leading};
}

struct ft_expectation ft_expect_distance(const struct ft_axis *axis,
                                         const struct ft_function *footprint)
{
    uint32_t terms = powers_up_to(ft_basis_exponent(leading_term(axis, footprint)));
    return (struct ft_expectation){.terms = terms,
                                   .further = LOGARITHMS,
                                   .scattered = terms | LOGARITHMS,
                                   .leading = FT_BASIS_COUNT};
}

struct ft_expectation ft_expect_alike(const struct ft_axis *axis, const struct ft_function *other)
{
    return (struct ft_expectation){
        .terms = terms_of(axis, other), .rounding = DISTANCE_ROUNDING, .leading = FT_BASIS_COUNT};
}
