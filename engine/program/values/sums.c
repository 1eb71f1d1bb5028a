/*
 * Terms are merged as sorted lists. Products are made in 128 bits and must fit in 64 again.
 */
#include "engine/program/values/sums.h"

#include <string.h>

#include "formats/base/common_divisor.h"

struct ft_sum ft_sum_constant(int64_t value)
{
    struct ft_sum sum = {0};
    if (value) {
        sum.count = 1;
        sum.terms[0] = (struct ft_term){FT_ONE, value, 1};
    }
    return sum;
}

struct ft_sum ft_sum_unknown(uint32_t unknown)
{
    struct ft_sum sum = {.count = 1};
    sum.terms[0] = (struct ft_term){unknown, 1, 1};
    return sum;
}

/* A fraction in lowest terms; false where it does not fit. */
static bool make_fraction(ft_int128 numerator, ft_int128 denominator, struct ft_term *term)
{
    ft_int128 divisor = denominator == 1 ? 1
                                         : (ft_int128)ft_common_divisor(ft_magnitude(numerator),
                                                                        (ft_uint128)denominator);
    numerator /= divisor;
    denominator /= divisor;
    if (numerator > INT64_MAX || numerator < INT64_MIN || denominator > INT64_MAX)
        return false;
    term->numerator = (int64_t)numerator;
    term->denominator = (int64_t)denominator;
    return true;
}

/* a + factor * b of one unknown; a is {0} where there is none. */
static bool add_term(struct ft_term *a, const struct ft_term *b, int64_t numerator,
                     int64_t denominator)
{
    struct ft_term product;
    if (!make_fraction((ft_int128)b->numerator * numerator, (ft_int128)b->denominator * denominator,
                       &product))
        return false;
    if (!a->denominator) {
        *a = (struct ft_term){b->unknown, product.numerator, product.denominator};
        return true;
    }
    ft_int128 left, right, above, below = (ft_int128)a->denominator * product.denominator;
    left = (ft_int128)a->numerator * product.denominator;
    right = (ft_int128)product.numerator * a->denominator;
    return !__builtin_add_overflow(left, right, &above) && make_fraction(above, below, a);
}

bool ft_sum_add(struct ft_sum *sum, const struct ft_sum *added, int64_t numerator,
                int64_t denominator)
{
    struct ft_sum result = {0};
    uint32_t i = 0, j = 0;
    if (numerator == 0)
        return true;
    while (i < sum->count || j < added->count) {
        struct ft_term term = {0};
        if (j == added->count ||
            (i < sum->count && sum->terms[i].unknown <= added->terms[j].unknown))
            term = sum->terms[i++];
        if (j < added->count && (!term.denominator || term.unknown == added->terms[j].unknown) &&
            !add_term(&term, &added->terms[j++], numerator, denominator))
            return false;
        if (term.numerator == 0)
            continue;
        if (result.count == FT_SUM_TERMS_MAX)
            return false;
        result.terms[result.count++] = term;
    }
    *sum = result;
    return true;
}

bool ft_sum_add_constant(struct ft_sum *sum, int64_t constant)
{
    struct ft_sum added = ft_sum_constant(constant);
    return ft_sum_add(sum, &added, 1, 1);
}

struct ft_term ft_sum_term(const struct ft_sum *sum, uint32_t unknown)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->terms[i].unknown == unknown)
            return sum->terms[i];
    return (struct ft_term){0};
}

void ft_sum_remove(struct ft_sum *sum, uint32_t unknown)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->terms[i].unknown != unknown)
            sum->terms[kept++] = sum->terms[i];
    sum->count = kept;
}

bool ft_sum_equal(const struct ft_sum *a, const struct ft_sum *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].unknown != b->terms[i].unknown ||
            a->terms[i].numerator != b->terms[i].numerator ||
            a->terms[i].denominator != b->terms[i].denominator)
            return false;
    return true;
}

bool ft_sum_is_constant(const struct ft_sum *sum, int64_t *ret_value)
{
    if (sum->count > 1 ||
        (sum->count == 1 && (sum->terms[0].unknown != FT_ONE || sum->terms[0].denominator != 1)))
        return false;
    *ret_value = sum->count ? sum->terms[0].numerator : 0;
    return true;
}

bool ft_sum_is_whole(const struct ft_sum *sum)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->terms[i].denominator != 1)
            return false;
    return true;
}
