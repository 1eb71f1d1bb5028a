#include "fit/functions/doubling.h"

#include <math.h>

#define SIZES_MIN 5U /* three terms, and two sizes that confirm them */

static const struct ft_term terms_added[] = {
    {.exponents = {2}, .logarithms = {1}},
    {.exponents = {3}, .logarithms = {1}},
};

/* Beside n^m log n: a term, or a term and the one below it; the stages of a transform, what is done
 * once for each point, and once for each row. */
static const double beside[][2] = {{NAN, NAN}, {2, NAN}, {1, NAN}, {3, NAN}, {2, 1}, {3, 2}};

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
    size_t count = 0;
    for (size_t i = 0; i < sizeof terms_added / sizeof *terms_added; i++) {
        const double exponent = terms_added[i].exponents[0];
        size_t leading = ft_basis_find(basis, &terms_added[i]);
        for (size_t k = 0; k < sizeof beside / sizeof *beside && leading < basis->term_count; k++) {
            uint32_t set = 1U << leading;
            bool known = true;
            for (size_t j = 0; j < 2; j++) {
                size_t term = isnan(beside[k][j]) ? 0 : ft_basis_power(basis, beside[k][j]);
                known = known && term < basis->term_count &&
                        (isnan(beside[k][j]) || beside[k][j] <= exponent);
                set |= isnan(beside[k][j]) ? 0 : 1U << term;
            }
            if (known)
                ret_sets[count++] = set;
        }
    }
    return count;
}
