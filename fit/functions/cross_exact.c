/*
 * Both sides are multiplied by the common denominator, and alignments by their modulus, so that
 * everything is an integer.
 */
#include "fit/functions/cross_exact.h"

#include <math.h>
#include <string.h>

#include "formats/base/common_divisor.h"

#define DENOMINATOR_MAX 1024
#define NEAR            1e-5 /* of an integer */
#define WHOLE_MAX       9007199254740992.0
#define REFINEMENTS     2

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < WHOLE_MAX;
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
        if (fabs(numerator) < WHOLE_MAX && fabs(numerator - round(numerator)) < NEAR) {
            *ret_numerator = (int64_t)round(numerator);
            *ret_denominator = denominator;
            return true;
        }
    }
    return false;
}

/* Of denominators and moduli: far below 2^63. */
static int64_t common_multiple(int64_t a, int64_t b)
{
    return a / (int64_t)ft_common_divisor((ft_uint128)a, (ft_uint128)b) * b;
}

/* The factor that makes a term an integer. */
static int64_t modulus_of(const struct ft_axis *axis, size_t term)
{
    const uint16_t modulus = axis->basis.terms[term].modulus;
    return modulus > 0 ? modulus : 1;
}

/* Whether the combination is y at a size. common: a multiple of all denominators times moduli. */
static bool holds(const struct ft_axis *axis, const struct ft_term_set *set,
                  const int64_t *numerators, const int64_t *denominators, int64_t common,
                  size_t size, double y)
{
    ft_int128 left = 0, right = (ft_int128)y * common;
    for (size_t i = 0; i < set->count; i++) {
        const int64_t modulus = modulus_of(axis, set->terms[i]);
        double term = axis->points[size].terms[set->terms[i]] * (double)modulus;
        ft_int128 part;
        if (!is_whole(term) ||
            __builtin_mul_overflow((ft_int128)numerators[i] *
                                       (common / (denominators[i] * modulus)),
                                   (ft_int128)term, &part) ||
            __builtin_add_overflow(left, part, &left))
            return false;
    }
    return left == right;
}

void ft_cross_refine(const struct ft_axis *axis, const struct ft_term_set *set, const double *y,
                     struct ft_weighted_values *weighted, struct ft_plain_fit *plain,
                     double *coefficients)
{
    double values[FT_TRAINING_MAX];
    memcpy(values, weighted->values, sizeof values);
    for (size_t pass = 0; pass < REFINEMENTS; pass++) {
        for (size_t i = 0; i < weighted->rows; i++) {
            const size_t size = weighted->first + i;
            long double left = y[size];
            for (size_t j = 0; j < set->count; j++)
                left -= (long double)(coefficients[j] * axis->scales[set->terms[j]]) *
                        axis->points[size].terms[set->terms[j]];
            weighted->values[i] = (double)left / ft_error_magnitude(y[size]);
        }
        if (ft_plain_fit(plain, weighted, set))
            for (size_t j = 0; j < set->count; j++)
                coefficients[j] += plain->coefficients[j];
    }
    memcpy(weighted->values, values, sizeof values);
}

bool ft_cross_exact(const struct ft_axis *axis, const struct ft_term_set *set, const double *y,
                    size_t first, double *coefficients)
{
    int64_t numerators[FT_TERMS_MAX], denominators[FT_TERMS_MAX], common = 1, largest = 1;
    for (size_t i = 0; i < set->count; i++) {
        if (!find_fraction(coefficients[i], &numerators[i], &denominators[i]))
            return false;
        const int64_t modulus = modulus_of(axis, set->terms[i]);
        common = common_multiple(common, denominators[i] * modulus);
        largest = modulus > largest ? modulus : largest;
        if (common > DENOMINATOR_MAX * DENOMINATOR_MAX * largest)
            return false;
    }
    for (size_t k = first; k < axis->count; k++)
        if (!is_whole(y[k]) || !holds(axis, set, numerators, denominators, common, k, y[k]))
            return false;
    for (size_t i = 0; i < set->count; i++)
        coefficients[i] = (double)numerators[i] / (double)denominators[i];
    return true;
}
