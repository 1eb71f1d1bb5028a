/*
 * The sizes that trials and training runs may have: integers above 0 that agree with the
 * target modulo a period, or those of a list (of builds, say) that do. Where too few agree, the
 * period is lessened to a divisor of it.
 *
 * Plain values; pure.
 */
#ifndef FT_PREDICT_PLAN_SIZE_CHOICE_H
#define FT_PREDICT_PLAN_SIZE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

struct ft_size_choice {
    double target;
    uint64_t period;         /* at least 1 */
    const double *available; /* ascending; NULL: all integers */
    size_t available_count;
};

/* The least such size that is at least n, or above all of them INFINITY. */
double ft_size_at_least(const struct ft_size_choice *choice, double n);
/* The greatest that is at most n; 0 where there is none. */
double ft_size_at_most(const struct ft_size_choice *choice, double n);
/* How many lie in [low, high]. */
size_t ft_size_count(const struct ft_size_choice *choice, double low, double high);
/* The same choice with the greatest divisor of the period that leaves so many in [low, high], or
 * with period 1. */
struct ft_size_choice ft_size_choice_wide(const struct ft_size_choice *choice, double low,
                                          double high, size_t count);

#endif
