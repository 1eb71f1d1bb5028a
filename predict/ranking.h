/*
 * Machines in the order of the times that are forecast for them, and the chance that two are in the
 * wrong order (docs/predict.md, "Several machines and sizes").
 *
 * The logarithm of a true time is taken for normal around that of the estimate; 95 % of it are in
 * the interval, so the standard deviation towards the other time is the logarithm of the ratio of
 * estimate and interval's end there, over 1.96.
 *
 * The errors of two machines are taken for independent. They are not, for they are of one model: so
 * the chance is an upper bound. Where one machine is an edit of the other, or both are of a third,
 * their times are taken to be off alike: both at the lower ends of their intervals, or both at the
 * upper ones. Then the standard deviation of the logarithm of their ratio is how far it is there
 * from what it is between the estimates, over 1.96. Pure.
 */
#ifndef FT_PREDICT_RANKING_H
#define FT_PREDICT_RANKING_H

#include <stddef.h>

struct ft_ranked_time {
    double seconds;   /* NAN: unknown */
    double low, high; /* of the 95 % interval, or the bounds where the time is unknown */
    size_t base;      /* alike of a machine and its edits */
};

/* ret_order: the times' indices, the shortest first; unknown times last, by their upper bounds;
 * equal ones as they come. */
void ft_ranking_order(const struct ft_ranked_time *times, size_t count, size_t *ret_order);

/* The chance that `later`, whose estimate is no shorter, takes less time than `earlier`: 0 to 0.5;
 * NAN where a time or its interval is unknown. */
double ft_ranking_inversion_chance(const struct ft_ranked_time *earlier,
                                   const struct ft_ranked_time *later);

#endif
