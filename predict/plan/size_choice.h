/*
 * The sizes that trials and training runs may have: positive integers that agree with the target
 * modulo a period, or those of a list (of builds, say) that do. If too few agree, the period is
 * reduced to a divisor of it.
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

/* The smallest such size that is at least n, or INFINITY if there is none. */
double ft_size_at_least(const struct ft_size_choice *choice, double n);
/* The largest that is at most n; 0 if there is none. */
double ft_size_at_most(const struct ft_size_choice *choice, double n);
/* How many lie in [low, high]. */
size_t ft_size_count(const struct ft_size_choice *choice, double low, double high);
/* The same choice with the largest divisor of the period that leaves that many in [low, high], or
 * with period 1. */
struct ft_size_choice ft_size_choice_wide(const struct ft_size_choice *choice, double low,
                                          double high, size_t count);

#endif
