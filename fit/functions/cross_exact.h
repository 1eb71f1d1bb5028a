/*
 * Exact polynomials of several parameters (exact.h has those of one): a combination of terms whose
 * coefficients are nearly small fractions is made of these fractions, and holds where it gives
 * every training count in whole-number arithmetic. Pure and thread safe.
 */
#ifndef FT_FIT_CROSS_EXACT_H
#define FT_FIT_CROSS_EXACT_H

#include "fit/functions/axis.h"

/* Whether all terms of a set are whole powers. */
bool ft_cross_is_polynomial(const struct ft_axis *axis, const struct ft_term_set *set);

/* coefficients: [set->count], of the unscaled terms. True where fractions near them give
 * y[first..axis count) exactly, which then replace them. */
bool ft_cross_exact(const struct ft_axis *axis, const struct ft_term_set *set, const double *y,
                    size_t first, double *coefficients);

#endif
