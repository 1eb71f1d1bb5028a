/*
 * How likely blocks that fall into sets at random displace another one: the binomial model of Marin
 * & Mellor-Crummey 2005, section 5 (after Smith 1976; Hill & Smith 1989).
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_MISS_PROBABILITY_H
#define FT_PREDICT_METRICS_MISS_PROBABILITY_H

/* The probability that at least `ways` of `distance_blocks` other blocks fell into the set of a
 * block, if each falls into any of `sets` sets with equal probability. sets = 1: 1 from distance =
 * ways on. */
double ft_miss_probability(double sets, double ways, double distance_blocks);

#endif
