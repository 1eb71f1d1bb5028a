/*
 * Exact quasi-polynomials: counts at sizes that mix residues which are a combination, with small
 * fractions, of powers of n and of powers times align(n, L) of one L (alignment.h). Lines that rows
 * of N elements touch are N^2/8 + N align(N,8) at all even N, say. Or of powers and
 * quotients floor((n + k) / L), which a loop makes that takes L elements at a time. At least two
 * sizes more than terms must confirm one.
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

/* Of how many searches for one law this is one: the more, the more the sizes to spare must say to
 * rule out chance. */
void ft_quasi_exact_among(struct ft_quasi_exact *search, size_t searches);

/* Through y[first..axis count), of as few terms as can be. False where there is none; search may be
 * NULL. */
bool ft_quasi_exact_find(struct ft_quasi_exact *search, const double *y, size_t first,
                         struct ft_function *ret_function);

#endif
