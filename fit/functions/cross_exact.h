/*
 * Exact polynomials of several parameters, and quasi-polynomials (exact.h has the polynomials of
 * one): if the coefficients of a combination of terms are close to small fractions, these replace
 * them, and the function is exact if it gives every training count in integer arithmetic. Pure and
 * thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_CROSS_EXACT_H
#define FT_FIT_FUNCTIONS_CROSS_EXACT_H

#include "fit/functions/plain_fit.h"

/* Whether all terms of a set are integer powers, or such with an alignment. */
bool ft_cross_is_polynomial(const struct ft_axis *axis, const struct ft_term_set *set);

/* Least squares to the last digit: the residuals that the coefficients (of scaled terms) leave are
 * fitted again. weighted: of y; restored afterwards. */
void ft_cross_refine(const struct ft_axis *axis, const struct ft_term_set *set, const double *y,
                     struct ft_weighted_values *weighted, struct ft_plain_fit *plain,
                     double *coefficients);

/* coefficients: [set->count], of the unscaled terms. True where fractions near them give
 * y[first..axis count) exactly, which then replace them. */
bool ft_cross_exact(const struct ft_axis *axis, const struct ft_term_set *set, const double *y,
                    size_t first, double *coefficients);

#endif
