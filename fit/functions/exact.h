/*
 * Exact polynomials through counts. Counts of affine loops are polynomials of the size with small
 * fractions as coefficients; where all training counts lie on one, and at least one more size than
 * it needs confirms it, it is found in exact arithmetic and predicts exactly.
 *
 * Pure and thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_EXACT_H
#define FT_FIT_FUNCTIONS_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#define FT_EXACT_DEGREE_MAX 3

/* n and y hold integers, n ascending. True and {1, n, n^2, n^3} where there is one; *ret_spare
 * is the number of sizes beyond those that determine it. */
bool ft_exact_polynomial(const double *n, const double *y, size_t count,
                         double ret_coefficients[FT_EXACT_DEGREE_MAX + 1], size_t *ret_spare);

/* False if no polynomial of degree FT_EXACT_DEGREE_MAX goes through the last values, rounding
 * apart: a cheap test. */
bool ft_exact_is_likely(const double *n, const double *y, size_t count);

#endif
