/*
 * Newton's divided differences in fractions of 128-bit integers. The points lie on a polynomial of
 * degree d exactly where all differences of order d are equal; the lowest such d is taken. Newton's
 * form is then multiplied out. If anything overflows, or needs a denominator that no loop would
 * produce, there is no exact polynomial.
 */
#include "fit/functions/exact.h"

#include <math.h>
#include <stdint.h>

#include "fit/functions/axis.h"
#include "formats/base/common_divisor.h"

#define DENOMINATOR_MAX 1024
#define ROUNDING        1e-12 /* of differences */

struct fraction {
    ft_int128 numerator, denominator; /* reduced, denominator > 0 */
};

static struct fraction reduced(ft_int128 numerator, ft_int128 denominator)
{
    ft_int128 divisor =
        (ft_int128)ft_common_divisor(ft_magnitude(numerator), ft_magnitude(denominator));
    divisor = denominator < 0 ? -divisor : divisor;
    return (struct fraction){numerator / divisor, denominator / divisor};
}

/* *ret_sum = a + b * factor. False on overflow. */
static bool add_multiple(struct fraction a, struct fraction b, ft_int128 factor,
                         struct fraction *ret_sum)
{
    ft_int128 common =
        (ft_int128)ft_common_divisor(ft_magnitude(a.denominator), ft_magnitude(b.denominator));
    ft_int128 left, right, denominator;
    if (__builtin_mul_overflow(a.numerator, b.denominator / common, &left) ||
        __builtin_mul_overflow(b.numerator, a.denominator / common, &right) ||
        __builtin_mul_overflow(right, factor, &right) ||
        __builtin_add_overflow(left, right, &left) ||
        __builtin_mul_overflow(a.denominator, b.denominator / common, &denominator))
        return false;
    *ret_sum = reduced(left, denominator);
    return true;
}

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < 9007199254740992.0;
}

bool ft_exact_is_likely(const double *n, const double *y, size_t count)
{
    const size_t points = count < FT_EXACT_DEGREE_MAX + 2 ? count : FT_EXACT_DEGREE_MAX + 2;
    double difference = 0, magnitude = 0; /* the difference of order points - 1, as a sum */
    n += count - points;
    y += count - points;
    for (size_t i = 0; i < points; i++) {
        double divisor = 1;
        for (size_t j = 0; j < points; j++)
            divisor *= j != i ? n[i] - n[j] : 1;
        double part = y[i] / divisor;
        difference += part;
        magnitude += fabs(part);
    }
    return !(fabs(difference) > ROUNDING * magnitude);
}

/* Replaces the differences of order d - 1 in table[0..count) by those of order d. */
static bool next_differences(struct fraction *table, const double *n, size_t count, size_t order)
{
    for (size_t i = 0; i + order < count; i++) {
        struct fraction difference;
        ft_int128 divisor = (ft_int128)n[i + order] - (ft_int128)n[i];
        if (divisor == 0 || !add_multiple(table[i + 1], table[i], -1, &difference) ||
            __builtin_mul_overflow(difference.denominator, divisor, &difference.denominator))
            return false;
        table[i] = reduced(difference.numerator, difference.denominator);
    }
    return true;
}

static bool all_equal(const struct fraction *table, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (table[i].numerator != table[0].numerator ||
            table[i].denominator != table[0].denominator)
            return false;
    return true;
}

/* newton[0..degree] with the nodes n[0], n[1], ... to powers of n, by Horner's rule. */
static bool multiply_out(const struct fraction *newton, const double *n, size_t degree,
                         struct fraction powers[FT_EXACT_DEGREE_MAX + 1])
{
    for (size_t j = 0; j <= FT_EXACT_DEGREE_MAX; j++)
        powers[j] = (struct fraction){0, 1};
    for (size_t k = degree + 1; k-- > 0;) {
        for (size_t j = FT_EXACT_DEGREE_MAX; j > 0; j--) /* powers = powers * (n - n[k]) */
            if (!add_multiple(powers[j - 1], powers[j], -(ft_int128)n[k], &powers[j]))
                return false;
        if (!add_multiple(newton[k], powers[0], -(ft_int128)n[k], &powers[0]))
            return false;
    }
    return true;
}

bool ft_exact_polynomial(const double *n, const double *y, size_t count,
                         double ret_coefficients[FT_EXACT_DEGREE_MAX + 1], size_t *ret_spare)
{
    struct fraction table[FT_TRAINING_MAX], newton[FT_EXACT_DEGREE_MAX + 1],
        powers[FT_EXACT_DEGREE_MAX + 1];
    if (count < 2 || count > FT_TRAINING_MAX || !ft_exact_is_likely(n, y, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_whole(n[i]) || !is_whole(y[i]))
            return false;
        table[i] = (struct fraction){(ft_int128)y[i], 1};
    }
    for (size_t degree = 0; degree <= FT_EXACT_DEGREE_MAX && degree + 2 <= count; degree++) {
        if (degree > 0 && !next_differences(table, n, count, degree))
            return false;
        newton[degree] = table[0];
        if (!all_equal(table, count - degree))
            continue;
        if (!multiply_out(newton, n, degree, powers))
            return false;
        for (size_t j = 0; j <= FT_EXACT_DEGREE_MAX; j++)
            if (powers[j].denominator > DENOMINATOR_MAX)
                return false;
        for (size_t j = 0; j <= FT_EXACT_DEGREE_MAX; j++)
            ret_coefficients[j] = (double)powers[j].numerator / (double)powers[j].denominator;
        *ret_spare = count - degree - 1;
        return true;
    }
    return false;
}
