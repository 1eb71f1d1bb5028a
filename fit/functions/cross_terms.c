/*
 * Factors of one parameter are 1, x, x^2, x^3, 1/x and x log x. Sets of them have few terms, so
 * that products have no more than TERMS_MAX. Whole polynomials, which may have more, are for
 * counts that are exact.
 */
#include "fit/functions/cross_terms.h"

#include <math.h>
#include <string.h>

enum factor { ONE, LINE, SQUARE, CUBE, SHARE, SORTING, FACTOR_COUNT };

static const double factor_exponents[FACTOR_COUNT] = {0, 1, 2, 3, -1, 1};

/* Sets of factors of one parameter, as masks of enum factor. */
#define F(factor) (1U << (factor))
static const uint8_t factor_sets[] = {
    F(ONE),
    F(LINE),
    F(SQUARE),
    F(CUBE),
    F(SHARE),
    F(SORTING),
    F(ONE) | F(LINE),
    F(ONE) | F(SQUARE),
    F(ONE) | F(CUBE),
    F(ONE) | F(SHARE),
    F(ONE) | F(SORTING),
    F(LINE) | F(SQUARE),
    F(LINE) | F(CUBE),
    F(SQUARE) | F(CUBE),
    F(LINE) | F(SORTING),
    F(ONE) | F(LINE) | F(SQUARE),
    F(LINE) | F(SQUARE) | F(CUBE),
    F(ONE) | F(LINE) | F(SHARE),
    F(ONE) | F(LINE) | F(SQUARE) | F(CUBE),
};
#define SETS      (sizeof factor_sets / sizeof *factor_sets)
#define TERMS_MAX 8
#define PAIR      15U /* sets before have at most two factors */

static struct ft_term term_of(const enum factor *factors, size_t count)
{
    struct ft_term term = {.exponents = {0}};
    for (size_t i = 0; i < count; i++) {
        term.exponents[i] = factor_exponents[factors[i]];
        term.logarithms[i] = factors[i] == SORTING;
    }
    return term;
}

/* How late a product is taken into a basis that cannot hold all: what it grows like. Parts of what
 * others share stand between, and sorting comes last. */
static double cost_of(const enum factor *factors, size_t count, const size_t *distinct)
{
    static const double costs[FACTOR_COUNT] = {0, 1, 2, 3, 0, 0.25};
    double cost = 0;
    size_t shares = 0, sortings = 0;
    for (size_t i = 0; i < count; i++) {
        static const size_t needed[FACTOR_COUNT] = {1, 2, 3, 4, 3, 4};
        if (distinct[i] < needed[factors[i]])
            return INFINITY;
        cost += costs[factors[i]];
        shares += factors[i] == SHARE;
        sortings += factors[i] == SORTING;
    }
    if (shares + sortings > 1 || cost > 4)
        return INFINITY;
    return cost + (shares == 0 ? 0 : count > 2 ? 3.4 : 0.5) + (sortings > 0 ? 3.9 : 0);
}

/* The next product of factors; false after the last. */
static bool next_product(enum factor *factors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (factors[i] + 1 < FACTOR_COUNT) {
            factors[i]++;
            return true;
        }
        factors[i] = ONE;
    }
    return false;
}

struct ft_basis ft_cross_basis(const char *const *parameters, size_t count, const size_t *distinct)
{
    struct ft_basis basis = ft_basis_of(parameters, count);
    double done = 0;
    while (basis.term_count < FT_BASIS_MAX) {
        enum factor factors[FT_PARAMETERS_MAX] = {ONE};
        double next = INFINITY;
        do {
            double cost = cost_of(factors, count, distinct);
            if (cost > done)
                next = fmin(next, cost);
        } while (next_product(factors, count));
        if (isinf(next))
            break;
        memset(factors, 0, sizeof factors);
        do {
            const struct ft_term term = term_of(factors, count);
            if (cost_of(factors, count, distinct) == next)
                ft_basis_insert(&basis, &term);
        } while (next_product(factors, count));
        done = next;
    }
    return basis;
}

/* How many factors of a parameter the terms of a set have. */
static size_t count_factors(const struct ft_basis *basis, uint32_t mask, size_t parameter)
{
    size_t count = 0;
    for (size_t i = 0; i < basis->term_count; i++) {
        const struct ft_term *term = &basis->terms[i];
        bool new = mask >> i & 1;
        for (size_t k = 0; k < i && new; k++)
            new = !(mask >> k & 1) ||
                  basis->terms[k].exponents[parameter] != term->exponents[parameter] ||
                  basis->terms[k].logarithms[parameter] != term->logarithms[parameter];
        count += new;
    }
    return count;
}

bool ft_cross_has_spare(const struct ft_basis *basis, uint32_t mask, const size_t *distinct)
{
    for (size_t i = 0; i < basis->parameter_count; i++) {
        const size_t factors = count_factors(basis, mask, i);
        if (factors >= distinct[i] && !(factors == 2 && distinct[i] == 2) && factors > 1)
            return false;
    }
    return true;
}

/* The product of sets, one a parameter, as a mask of terms; 0 where a term is not in the basis or
 * there are too many. */
static uint32_t product_mask(const struct ft_basis *basis, const uint8_t *sets)
{
    enum factor factors[FT_PARAMETERS_MAX] = {ONE};
    uint32_t mask = 0;
    do {
        bool has = true;
        for (size_t i = 0; i < basis->parameter_count; i++)
            has = has && (sets[i] >> factors[i] & 1);
        if (!has)
            continue;
        const struct ft_term term = term_of(factors, basis->parameter_count);
        size_t index = ft_basis_find(basis, &term);
        if (index == basis->term_count)
            return 0;
        mask |= 1U << index;
    } while (next_product(factors, basis->parameter_count));
    return __builtin_popcount(mask) <= TERMS_MAX ? mask : 0;
}

static int visit_some(uint32_t mask, ft_cross_set_fn *visit, void *context)
{
    int count = __builtin_popcount(mask);
    return count > 0 && count <= TERMS_MAX ? visit(context, mask) : FT_OK;
}

/* Products of a set each. */
static int visit_products(const struct ft_basis *basis, ft_cross_set_fn *visit, void *context)
{
    size_t index[FT_PARAMETERS_MAX] = {0}, at = 0;
    int status = FT_OK;
    while (!status && at < basis->parameter_count) {
        uint8_t sets[FT_PARAMETERS_MAX] = {0};
        for (size_t i = 0; i < basis->parameter_count; i++)
            sets[i] = factor_sets[index[i]];
        status = visit_some(product_mask(basis, sets), visit, context);
        for (at = 0; at < basis->parameter_count && ++index[at] == SETS; at++)
            index[at] = 0;
    }
    return status;
}

/* Sums of sets of two of the parameters. */
static int visit_sums(const struct ft_basis *basis, size_t a, size_t b, ft_cross_set_fn *visit,
                      void *context)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < SETS * SETS; i++) {
        uint8_t left[FT_PARAMETERS_MAX] = {F(ONE), F(ONE), F(ONE)};
        uint8_t right[FT_PARAMETERS_MAX] = {F(ONE), F(ONE), F(ONE)};
        left[a] = factor_sets[i % SETS];
        right[b] = factor_sets[i / SETS];
        uint32_t masks[] = {product_mask(basis, left), product_mask(basis, right)};
        if (masks[0] != 0 && masks[1] != 0)
            status = visit_some(masks[0] | masks[1], visit, context);
    }
    return status;
}

/* A set of parameter a, one factor of which grows or is shared with b, besides one that is not. */
static int visit_repetitions(const struct ft_basis *basis, size_t a, size_t b,
                             ft_cross_set_fn *visit, void *context)
{
    static const uint8_t repeated[] = {F(LINE), F(SHARE)};
    int status = FT_OK;
    for (size_t i = 0; !status && i < 2 * SETS * PAIR; i++) {
        uint8_t often[FT_PARAMETERS_MAX] = {F(ONE), F(ONE), F(ONE)};
        uint8_t once[FT_PARAMETERS_MAX] = {F(ONE), F(ONE), F(ONE)};
        often[a] = factor_sets[i / 2 % SETS];
        often[b] = repeated[i % 2];
        once[a] = factor_sets[i / 2 / SETS];
        uint32_t masks[] = {product_mask(basis, often), product_mask(basis, once)};
        if (masks[0] != 0 && masks[1] != 0)
            status = visit_some(masks[0] | masks[1], visit, context);
    }
    return status;
}

/* All powers whose exponents add up to so many at most. */
static int visit_polynomial(const struct ft_basis *basis, double degree, ft_cross_set_fn *visit,
                            void *context)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < basis->term_count; i++) {
        const struct ft_term *term = &basis->terms[i];
        bool power = !ft_term_has_logarithm(term) && ft_term_exponent(term) <= degree;
        for (size_t j = 0; j < basis->parameter_count; j++)
            power = power && term->exponents[j] >= 0;
        if (power && __builtin_popcount(mask) < (int)FT_TERMS_MAX)
            mask |= 1U << i;
    }
    return visit(context, mask);
}

int ft_cross_sets(const struct ft_basis *basis, ft_cross_set_fn *visit, void *context)
{
    int status = visit_products(basis, visit, context);
    for (double degree = 1; !status && degree <= 4; degree++)
        status = visit_polynomial(basis, degree, visit, context);
    for (size_t a = 0; a < basis->parameter_count; a++)
        for (size_t b = 0; b < basis->parameter_count; b++) {
            if (!status && a < b)
                status = visit_sums(basis, a, b, visit, context);
            if (!status && a != b)
                status = visit_repetitions(basis, a, b, visit, context);
        }
    return status;
}
