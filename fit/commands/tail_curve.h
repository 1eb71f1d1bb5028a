/*
 * A histogram as touches at or beyond distances of 0, 1, 2, 4, 8 ... blocks: the misses of fully
 * associative caches of that size, except cold ones. Measured and modelled histograms can be
 * compared this way, whatever their bins. Start from {0}; touches are real numbers. Pure.
 */
#ifndef FT_FIT_COMMANDS_TAIL_CURVE_H
#define FT_FIT_COMMANDS_TAIL_CURVE_H

#include "fit/evaluate/evaluate.h"
#include "formats/histograms/histograms.h"

#define FT_TAIL_STEPS 42U

struct ft_tail_curve {
    double cold;
    double tails[FT_TAIL_STEPS]; /* [0]: at or beyond 0, [i]: at or beyond 2^(i - 1) blocks */
};

void ft_tail_curve_add_measured(struct ft_tail_curve *curve, const struct ft_histogram *histogram);
void ft_tail_curve_add_forecast(struct ft_tail_curve *curve, const struct ft_forecast *forecast);
void ft_tail_curve_add(struct ft_tail_curve *sum, const struct ft_tail_curve *curve);

/* Misses of a cache of no blocks (i = 0) or of 2^(i - 1) blocks, cold ones included. */
double ft_tail_curve_misses(const struct ft_tail_curve *curve, size_t i);
/* The sum over these caches of |predicted - measured| misses, relative to the measured ones. */
double ft_tail_curve_error(const struct ft_tail_curve *predicted,
                           const struct ft_tail_curve *measured);
/* Zhong et al. 2007, section 3.2: 1 - E/2, where E is the sum of the differences of the shares of
 * the touches that lie in each part, cold ones being a part; 1 where the histograms overlap. */
double ft_tail_curve_accuracy(const struct ft_tail_curve *predicted,
                              const struct ft_tail_curve *measured);

#endif
