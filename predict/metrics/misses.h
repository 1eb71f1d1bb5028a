/*
 * Misses from reuse distances: fully associative, and set-associative by the binomial model of
 * Marin & Mellor-Crummey 2005, section 5 (after Smith 1976; Hill & Smith 1989). Distances in
 * blocks, counts of touches as real numbers. Cold misses always miss. Thread safe.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_MISSES_H
#define FT_PREDICT_METRICS_MISSES_H

#include "fit/evaluate/evaluate.h"

/* The probability that at least `ways` of `distance_blocks` other blocks fell into the set of a
 * block, if each falls into any of `sets` sets with equal probability. sets = 1: 1 from distance =
 * ways on. */
double ft_miss_probability(double sets, double ways, double distance_blocks);

struct ft_miss_count {
    double fully_associative;
    double set_associative;
};

struct ft_set_chances;

/* Misses of a cache of that many blocks, as if it were `scale` times as large: in its sets, or in
 * its ways if there is one set. blocks is a multiple of ways. chances: of these sets; NULL: blocks
 * fall into sets at random. */
struct ft_miss_count ft_count_misses(const struct ft_forecast *forecast, uint64_t blocks,
                                     uint64_t ways, double scale,
                                     const struct ft_set_chances *chances);

#endif
