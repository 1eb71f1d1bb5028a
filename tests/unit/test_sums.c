/*
 * Sums with rational factors: exact, or refused.
 */
#include "engine/program/values/sums.h"

#include "tests/support/tap.h"

static struct ft_sum sum_of(int64_t constant, uint32_t unknown, int64_t numerator,
                            int64_t denominator)
{
    struct ft_sum sum = ft_sum_constant(constant), added = ft_sum_unknown(unknown);
    ft_sum_add(&sum, &added, numerator, denominator);
    return sum;
}

int main(void)
{
    struct ft_sum a = sum_of(12, 3, 8, 1), b = sum_of(-12, 3, -8, 1), c = sum_of(1, 2, 1, 6);
    struct ft_sum sum = a;
    int64_t constant = 1;
    tap_ok(ft_sum_add(&sum, &b, 1, 1) && sum.count == 0 && ft_sum_is_constant(&sum, &constant) &&
               constant == 0,
           "terms that cancel are gone");
    sum = a;
    tap_ok(ft_sum_add(&sum, &c, 2, 1) && sum.count == 3 && sum.terms[0].unknown == FT_ONE &&
               sum.terms[0].numerator == 14 && sum.terms[1].unknown == 2 &&
               sum.terms[1].numerator == 1 && sum.terms[1].denominator == 3 &&
               sum.terms[2].numerator == 8 && !ft_sum_is_whole(&sum),
           "sorted by unknown, fractions in lowest terms");
    tap_ok(ft_sum_add(&sum, &c, 4, 1) && ft_sum_is_whole(&sum) &&
               ft_sum_term(&sum, 2).numerator == 1,
           "1/3 + 2/3 is whole");
    sum = ft_sum_constant(INT64_MAX);
    struct ft_sum one = ft_sum_constant(1), before = sum;
    tap_ok(!ft_sum_add(&sum, &one, 1, 1) && ft_sum_equal(&sum, &before),
           "what does not fit is refused and changes nothing");
    sum = ft_sum_constant(INT64_MIN);
    tap_ok(!ft_sum_add(&sum, &sum, INT64_MIN, 1), "products that do not fit are refused");
    sum = (struct ft_sum){0};
    bool fits = true;
    for (uint32_t i = 1; i <= FT_SUM_TERMS_MAX; i++) {
        struct ft_sum unknown = ft_sum_unknown(i);
        fits &= ft_sum_add(&sum, &unknown, 1, 1);
    }
    struct ft_sum more = ft_sum_unknown(FT_SUM_TERMS_MAX + 1);
    tap_ok(fits && !ft_sum_add(&sum, &more, 1, 1) && sum.count == FT_SUM_TERMS_MAX,
           "so many terms and no more");
    ft_sum_remove(&sum, 4);
    tap_ok(sum.count == FT_SUM_TERMS_MAX - 1 && ft_sum_term(&sum, 4).denominator == 0,
           "removed terms are gone");
    return tap_plan_done();
}
