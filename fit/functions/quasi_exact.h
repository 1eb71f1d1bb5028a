/*
 * Exact quasi-polynomials: counts at sizes that mix residues which are a combination, with small
 * fractions, of powers of n and of powers times align(n, L) of one L (alignment.h): the lines that
 * rows of N elements touch are N^2/8 + N align(N,8) at all even N, say. Or of powers and quotients
 * floor((n + k) / L), which a loop that takes L elements at a time produces. At least two sizes
 * more than terms must confirm one.
 *
 * A search belongs to an axis and is used by one thread at a time.
 */
#ifndef FT_FIT_FUNCTIONS_QUASI_EXACT_H
#define FT_FIT_FUNCTIONS_QUASI_EXACT_H

#include "fit/functions/axis.h"

struct ft_quasi_exact;
/* NULL where the axis has no alignments and quotients, or too few sizes. */
int ft_quasi_exact_create(const struct ft_axis *axis, struct ft_quasi_exact **ret_search,
                          struct ft_diag *diag);
void ft_quasi_exact_destroy(struct ft_quasi_exact *search);

/* The number of searches for one law that this is one of: the more there are, the more evidence the
 * sizes to spare must give to rule out chance. */
void ft_quasi_exact_among(struct ft_quasi_exact *search, size_t searches);

/* Through y[first..axis count), with the fewest terms possible. False if there is none; search may
 * be NULL. */
bool ft_quasi_exact_find(struct ft_quasi_exact *search, const double *y, size_t first,
                         struct ft_function *ret_function);

#endif
