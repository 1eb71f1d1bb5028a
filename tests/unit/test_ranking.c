/* Machines by time, and the chance that two are in the wrong order, against normal distributions.
 */
#include "predict/ranking.h"

#include <math.h>

#include "tests/support/tap.h"

#define ONE_SIGMA 0.158655253931457 /* P(Z < -1) */
#define TWO_SIGMA 0.0227501319481792

static void close_to(double value, double expected, const char *what)
{
    tap_ok(fabs(value - expected) <= 1e-9, "%s: %.12g, expected %.12g", what, value, expected);
}

/* 95 % of its logarithm within so many standard deviations of it. */
static struct ft_ranked_time time_of(double log_seconds, double deviation, size_t base)
{
    return (struct ft_ranked_time){exp(log_seconds), exp(log_seconds - 1.96 * deviation),
                                   exp(log_seconds + 1.96 * deviation), base};
}

static void test_order(void)
{
    const struct ft_ranked_time times[] = {
        {NAN, 1, 9, 0}, {5, 4, 6, 1}, {NAN, NAN, NAN, 2},
        {3, 1, 9, 3},   {5, 1, 9, 4}, {NAN, 2, 8, 5},
    };
    static const size_t expected[] = {3, 1, 4, 5, 0, 2};
    size_t order[6];
    ft_ranking_order(times, 6, order);
    bool as_expected = true;
    for (size_t i = 0; i < 6; i++)
        as_expected = as_expected && order[i] == expected[i];
    tap_ok(as_expected, "known times, then upper bounds, then nothing; equal ones as they come");
}

static void test_independent(void)
{
    /* Deviations 0.3 and 0.4 make 0.5 of the difference. */
    const struct ft_ranked_time first = time_of(0, 0.3, 0), second = time_of(0.5, 0.4, 1);
    const struct ft_ranked_time third = time_of(1, 0.4, 1), same = time_of(0, 0.4, 1);
    close_to(ft_ranking_inversion_chance(&first, &second), ONE_SIGMA, "a standard deviation apart");
    close_to(ft_ranking_inversion_chance(&first, &third), TWO_SIGMA, "two");
    close_to(ft_ranking_inversion_chance(&first, &same), 0.5, "equal times");
    /* What lies on the far sides does not count. */
    struct ft_ranked_time skewed = second;
    skewed.high *= 100;
    close_to(ft_ranking_inversion_chance(&first, &skewed), ONE_SIGMA, "only sides that meet count");
    const struct ft_ranked_time exact[] = {{1, 1, 1, 0}, {2, 2, 2, 1}};
    close_to(ft_ranking_inversion_chance(&exact[0], &exact[1]), 0, "exact times");
}

static void test_edits(void)
{
    /* Of one machine: off by a common factor, whatever it is. */
    const struct ft_ranked_time base = time_of(0.1, 0.4, 0), edit = time_of(0, 0.4, 0);
    close_to(ft_ranking_inversion_chance(&edit, &base), 0, "off by the same factor");
    /* At the upper ends the ratio is by 0.1, a standard deviation of 0.1 / 1.96, nearer. */
    struct ft_ranked_time narrower = base;
    narrower.high *= exp(-0.1);
    close_to(ft_ranking_inversion_chance(&edit, &narrower), erfc(1.96 / sqrt(2)) / 2,
             "the ends' ratio is another than the estimates'");
}

static void test_unknown(void)
{
    const struct ft_ranked_time known = time_of(0, 0.1, 0), bounds = {NAN, 1, 2, 1};
    const struct ft_ranked_time without = {2, NAN, NAN, 1};
    tap_ok(isnan(ft_ranking_inversion_chance(&known, &bounds)), "an unknown time");
    tap_ok(isnan(ft_ranking_inversion_chance(&known, &without)), "an unknown interval");
}

int main(void)
{
    test_order();
    test_independent();
    test_edits();
    test_unknown();
    return tap_plan_done();
}
