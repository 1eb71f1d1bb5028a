#include "fit/functions/expectation.h"

#include <math.h>

#define COUNT_ROUNDING    0.5 /* of counts of blocks: arrays start anywhere in a block */
#define DISTANCE_ROUNDING 0.1 /* of mean distances */

/* The terms that matter in a function at the largest size and beyond. */
static uint32_t terms_of(const struct ft_axis *axis, const struct ft_function *function)
{
    const struct ft_point *at = &axis->beyond;
    double least = 1e-6 * ft_function_at(function, at);
    uint32_t terms = 1U;
    for (size_t term = 0; term < at->term_count; term++)
        if (fabs(function->coefficients[term] * at->terms[term]) > least)
            terms |= 1U << term;
    return terms;
}

static size_t leading_term(const struct ft_axis *axis, const struct ft_function *function)
{
    uint32_t terms = terms_of(axis, function);
    size_t leading = axis->basis.term_count - 1;
    while (leading > 0 && !(terms >> leading & 1))
        leading--;
    return leading;
}

/* Products of powers, without logarithms or what falls, up to an exponent of each parameter; of
 * terms that a user chose, those with logarithms too. */
static uint32_t powers_up_to(const struct ft_axis *axis, const double *exponents, double more)
{
    uint32_t terms = 0;
    for (size_t i = 0; i < axis->basis.term_count; i++) {
        const struct ft_term *term = &axis->basis.terms[i];
        bool below = axis->chosen || !ft_term_has_logarithm(term);
        for (size_t j = 0; j < axis->basis.parameter_count; j++)
            below = below && term->exponents[j] <= exponents[j] + more &&
                    (axis->chosen || term->exponents[j] >= 0);
        if (below)
            terms |= 1U << i;
    }
    return terms & ~axis->aligned;
}

/* Of one parameter, the exponent of the leading term; of several, the largest of each in any term
 * that matters: the leading one may be of one parameter alone. */
static void exponents_of(const struct ft_axis *axis, const struct ft_function *function,
                         double exponents[FT_PARAMETERS_MAX])
{
    uint32_t terms = 1U << leading_term(axis, function);
    if (axis->basis.parameter_count > 1)
        terms = terms_of(axis, function);
    for (size_t j = 0; j < FT_PARAMETERS_MAX; j++) {
        exponents[j] = axis->basis.parameter_count > 1 ? 0 : -INFINITY;
        for (size_t i = 0; i < axis->basis.term_count; i++)
            if (terms >> i & 1)
                exponents[j] =
                    fmax(exponents[j], axis->basis.terms[i].exponents[j] +
                                           (j == 0 ? axis->basis.terms[i].quotient.power : 0));
    }
}

static uint32_t logarithms(const struct ft_axis *axis)
{
    uint32_t terms = 0;
    for (size_t i = 0; i < axis->basis.term_count; i++)
        if (ft_term_has_logarithm(&axis->basis.terms[i]))
            terms |= 1U << i;
    return terms;
}

/* What falls with a parameter, as the work of one of several threads does with their number, up to
 * an exponent of each. */
static uint32_t shares(const struct ft_axis *axis, const double *exponents)
{
    uint32_t terms = 0;
    for (size_t i = 0; i < axis->basis.term_count; i++) {
        bool falls = false, below = true;
        for (size_t j = 0; j < axis->basis.parameter_count; j++) {
            falls = falls || axis->basis.terms[i].exponents[j] < 0;
            below = below && axis->basis.terms[i].exponents[j] <= exponents[j];
        }
        if (falls && below)
            terms |= 1U << i;
    }
    return terms;
}

/* Those that grow like n at least: with a few values that scatter, slower ones are not told from a
 * constant. */
static uint32_t growing_logarithms(const struct ft_axis *axis)
{
    uint32_t terms = logarithms(axis);
    for (size_t i = 0; i < axis->basis.term_count; i++)
        if (ft_term_exponent(&axis->basis.terms[i]) < 1)
            terms &= ~(1U << i);
    return terms;
}

struct ft_expectation ft_expect_nothing(const struct ft_axis *axis)
{
    static const double loops[FT_PARAMETERS_MAX] = {3, 3, 3};
    uint32_t terms = powers_up_to(axis, loops, axis->chosen ? INFINITY : 0);
    return (struct ft_expectation){.terms = terms,
                                   .further = logarithms(axis) | shares(axis, loops),
                                   .scattered = terms | growing_logarithms(axis),
                                   .rounding = COUNT_ROUNDING,
                                   .leading = FT_NO_TERM};
}

struct ft_expectation ft_expect_part(const struct ft_axis *axis, const struct ft_function *whole)
{
    size_t leading = leading_term(axis, whole);
    double exponents[FT_PARAMETERS_MAX];
    exponents_of(axis, whole, exponents);
    return (struct ft_expectation){.terms = powers_up_to(axis, exponents, 0) | 1U << leading,
                                   .further = logarithms(axis) | shares(axis, exponents),
                                   .faster = powers_up_to(axis, exponents, 1),
                                   .rounding = COUNT_ROUNDING,
                                   .leading = leading};
}

struct ft_expectation ft_expect_distance(const struct ft_axis *axis,
                                         const struct ft_function *footprint)
{
    double exponents[FT_PARAMETERS_MAX];
    exponents_of(axis, footprint, exponents);
    uint32_t terms = powers_up_to(axis, exponents, 0);
    return (struct ft_expectation){.terms = terms,
                                   .further = logarithms(axis) | shares(axis, exponents),
                                   .scattered = terms | logarithms(axis),
                                   .leading = FT_NO_TERM};
}

struct ft_expectation ft_expect_alike(const struct ft_axis *axis, const struct ft_function *other)
{
    return (struct ft_expectation){
        .terms = terms_of(axis, other), .rounding = DISTANCE_ROUNDING, .leading = FT_NO_TERM};
}
