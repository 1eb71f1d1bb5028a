#include "predict/ranking.h"

#include <math.h>
#include <stdbool.h>

#include "predict/intervals/interval.h"

/* Unknown times are behind all known ones; NAN behind all. */
static bool is_before(const struct ft_ranked_time *a, const struct ft_ranked_time *b)
{
    if (isnan(a->seconds) != isnan(b->seconds))
        return isnan(b->seconds);
    const double of_a = isnan(a->seconds) ? a->high : a->seconds;
    const double of_b = isnan(b->seconds) ? b->high : b->seconds;
    return isnan(of_b) ? !isnan(of_a) : of_a < of_b;
}

void ft_ranking_order(const struct ft_ranked_time *times, size_t count, size_t *ret_order)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        for (; place > 0 && is_before(&times[i], &times[ret_order[place - 1]]); place--)
            ret_order[place] = ret_order[place - 1];
        ret_order[place] = i;
    }
}

/* The standard deviation of the logarithm of later / earlier. */
static double deviation(const struct ft_ranked_time *earlier, const struct ft_ranked_time *later)
{
    if (earlier->base != later->base)
        return hypot(log(earlier->high / earlier->seconds), log(later->seconds / later->low)) /
               FT_NORMAL_ERRORS;
    const double ratio = log(later->seconds / earlier->seconds);
    const double at_low = log(later->low / earlier->low);
    const double at_high = log(later->high / earlier->high);
    return fmax(fabs(at_low - ratio), fabs(at_high - ratio)) / FT_NORMAL_ERRORS;
}

double ft_ranking_inversion_chance(const struct ft_ranked_time *earlier,
                                   const struct ft_ranked_time *later)
{
    const double distance = log(later->seconds / earlier->seconds);
    const double spread = deviation(earlier, later);
    if (isnan(distance) || isnan(spread))
        return NAN;
    if (distance <= 0)
        return 0.5;
    return spread > 0 ? erfc(distance / spread / sqrt(2)) / 2 : 0;
}
