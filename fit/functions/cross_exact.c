/* Both sides are multiplied by the common denominator, so that all is whole. */
#include "fit/functions/cross_exact.h"

#include <math.h>

#define DENOMINATOR_MAX 1024
#define NEAR            1e-5 /* of a whole number */
#define WHOLE_MOST      9007199254740992.0

__extension__ typedef __int128 wide;

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < WHOLE_MOST;
}

bool ft_cross_is_polynomial(const struct ft_axis *axis, const struct ft_term_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct ft_term *term = &axis->basis.terms[set->terms[i]];
        if (ft_term_has_logarithm(term))
            return false;
        for (size_t j = 0; j < FT_PARAMETERS_MAX; j++)
            if (term->exponents[j] < 0 || !is_whole(term->exponents[j]))
                return false;
    }
    return true;
}

/* The fraction with the smallest denominator near a value. */
static bool find_fraction(double value, int64_t *ret_numerator, int64_t *ret_denominator)
{
    for (int64_t denominator = 1; denominator <= DENOMINATOR_MAX; denominator++) {
        double numerator = value * (double)denominator;
        if (fabs(numerator) < WHOLE_MOST && fabs(numerator - round(numerator)) < NEAR) {
            *ret_numerator = (int64_t)round(numerator);
            *ret_denominator = denominator;
            return true;
        }
    }
    return false;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b; /* of numbers up to DENOMINATOR_MAX, or of such a multiple and one */
}

/* Whether the combination is y at a size. */
static bool holds(const struct ft_axis *axis, const struct ft_term_set *set,
                  const int64_t *numerators, const int64_t *denominators, int64_t common,
                  size_t size, double y)
{
    wide left = 0, right = (wide)y * common;
    for (size_t i = 0; i < set->count; i++) {
        double term = axis->points[size].terms[set->terms[i]];
        wide part;
        if (!is_whole(term) ||
            __builtin_mul_overflow((wide)numerators[i] * (common / denominators[i]), (wide)term,
                                   &part) ||
            __builtin_add_overflow(left, part, &left))
            return false;
    }
    return left == right;
}

bool ft_cross_exact(const struct ft_axis *axis, const struct ft_term_set *set, const double *y,
                    size_t first, double *coefficients)
{
    int64_t numerators[FT_TERMS_MAX], denominators[FT_TERMS_MAX], common = 1;
    for (size_t i = 0; i < set->count; i++) {
        if (!find_fraction(coefficients[i], &numerators[i], &denominators[i]))
            return false;
        common = common_multiple(common, denominators[i]);
        if (common > DENOMINATOR_MAX * DENOMINATOR_MAX)
            return false;
    }
    for (size_t k = first; k < axis->count; k++)
        if (!is_whole(y[k]) || !holds(axis, set, numerators, denominators, common, k, y[k]))
            return false;
    for (size_t i = 0; i < set->count; i++)
        coefficients[i] = (double)numerators[i] / (double)denominators[i];
    return true;
}
