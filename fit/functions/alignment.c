/*
 * The lines that a group touches in an array of rows: n^m elements over L, and for each of the
 * n^(m-1) rows, or other units that start over, one line more where it does not begin with one. How
 * often that is depends on gcd(n, L): the number of elements between the offsets at which rows
 * start.
 */
#include "fit/functions/alignment.h"

#include <math.h>

#define MODULUS_LOW  4U
#define MODULUS_HIGH 16U
#define SIZES_MIN    5U /* fewer leave none to verify what alignments add */

/* Whether there are several alignments among the sizes, each of two sizes or more. */
static bool is_informative(const double *n, size_t count, unsigned modulus)
{
    bool several = false;
    for (size_t i = 0; i < count; i++) {
        double alignment = ft_alignment(n[i], modulus);
        size_t alike = 0;
        if (n[i] != floor(n[i]))
            return false;
        for (size_t k = 0; k < count; k++)
            alike += ft_alignment(n[k], modulus) == alignment;
        if (alike < 2)
            return false;
        several = several || alike < count;
    }
    return several;
}

void ft_alignment_extend(struct ft_basis *basis, const double *n, size_t count)
{
    for (unsigned modulus = MODULUS_LOW; modulus <= MODULUS_HIGH; modulus *= 2) {
        if (count < SIZES_MIN || basis->parameter_count != 1 || !is_informative(n, count, modulus))
            continue;
        for (unsigned power = 0; power < FT_ALIGNED_POWERS; power++) {
            const struct ft_term term = {.exponents = {power}, .modulus = (uint16_t)modulus};
            ft_basis_insert(basis, &term);
        }
    }
}

uint32_t ft_alignment_terms(const struct ft_basis *basis)
{
    uint32_t terms = 0;
    for (size_t i = 0; i < basis->term_count; i++)
        if (basis->terms[i].modulus != 0)
            terms |= 1U << i;
    return terms;
}

uint32_t ft_quotient_terms(const struct ft_basis *basis)
{
    uint32_t terms = 0;
    for (size_t i = 0; i < basis->term_count; i++)
        if (basis->terms[i].quotient.period != 0)
            terms |= 1U << i;
    return terms;
}

/* The mask of align(n, modulus) n^exponent, 0 if the basis lacks it. */
static uint32_t aligned_power(const struct ft_basis *basis, double exponent, unsigned modulus)
{
    const struct ft_term term = {.exponents = {exponent}, .modulus = (uint16_t)modulus};
    size_t term_index = ft_basis_find(basis, &term);
    return term_index < basis->term_count ? 1U << term_index : 0;
}

size_t ft_alignment_sets(const struct ft_basis *basis, uint32_t set,
                         uint32_t ret_sets[FT_ALIGNMENT_SETS])
{
    size_t count = 0;
    double exponent = 0;
    for (size_t i = 0; i < basis->term_count; i++)
        if (set >> i & 1)
            exponent = fmax(exponent, ft_term_exponent(&basis->terms[i]));
    for (unsigned modulus = MODULUS_LOW; modulus <= MODULUS_HIGH; modulus *= 2) {
        uint32_t one = aligned_power(basis, exponent - 1, modulus);
        uint32_t two = aligned_power(basis, exponent - 2, modulus);
        if (one)
            ret_sets[count++] = set | one;
        if (two)
            ret_sets[count++] = set | two;
        if (one && two)
            ret_sets[count++] = set | one | two;
    }
    return count;
}

uint32_t ft_alignment_whole_set(const struct ft_basis *basis, unsigned degree, unsigned modulus)
{
    uint32_t set = 0;
    for (unsigned power = 0; power <= degree; power++) {
        size_t plain = ft_basis_power(basis, power);
        uint32_t aligned = power < degree ? aligned_power(basis, power, modulus) : 1;
        if (plain == basis->term_count || aligned == 0)
            return 0;
        set |= 1U << plain | aligned;
    }
    return set;
}
