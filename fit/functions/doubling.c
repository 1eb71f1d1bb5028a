#include "fit/functions/doubling.h"

#include <math.h>

#define SIZES_MIN 5U /* three terms, and two sizes that confirm them */

static const struct ft_term terms_added[] = {
    {.exponents = {2}, .logarithms = {1}},
    {.exponents = {3}, .logarithms = {1}},
};

/* Sets: the place of n^m log n in terms_added, and the powers beside it, as bits 1 << exponent: the
 * stages of a transform, what is done once for each point, and once for each row. */
static const struct {
    uint8_t leading, powers;
} sets[FT_DOUBLING_SETS] = {
    {0, 0},      {0, 1 << 2}, {0, 1 << 1}, {0, 1 << 2 | 1 << 1}, {1, 0},
    {1, 1 << 2}, {1, 1 << 1}, {1, 1 << 3}, {1, 1 << 2 | 1 << 1}, {1, 1 << 3 | 1 << 2}};

bool ft_sizes_double(const double *n, size_t count)
{
    bool doubles = count > 1 && n[0] >= 1 && n[0] == floor(n[0]);
    for (size_t i = 1; i < count && doubles; i++) {
        int exponent;
        doubles = frexp(n[i] / n[0], &exponent) == 0.5;
    }
    return doubles;
}

void ft_doubling_extend(struct ft_basis *basis, const double *n, size_t count)
{
    if (count < SIZES_MIN || basis->parameter_count != 1 || !ft_sizes_double(n, count))
        return;
    for (size_t i = 0; i < sizeof terms_added / sizeof *terms_added; i++)
        ft_basis_insert(basis, &terms_added[i]);
}

uint32_t ft_doubling_terms(const struct ft_basis *basis)
{
    uint32_t terms = 0;
    for (size_t i = 0; i < sizeof terms_added / sizeof *terms_added; i++) {
        size_t term = ft_basis_find(basis, &terms_added[i]);
        terms |= term < basis->term_count ? 1U << term : 0;
    }
    return terms;
}

size_t ft_doubling_sets(const struct ft_basis *basis, uint32_t ret_sets[FT_DOUBLING_SETS])
{
    if (ft_doubling_terms(basis) == 0)
        return 0;
    for (size_t i = 0; i < FT_DOUBLING_SETS; i++) {
        ret_sets[i] = 1U << ft_basis_find(basis, &terms_added[sets[i].leading]);
        for (unsigned power = 1; power <= 3; power++)
            if (sets[i].powers >> power & 1)
                ret_sets[i] |= 1U << ft_basis_power(basis, power);
    }
    return FT_DOUBLING_SETS;
}
