/*
 * Terms for sizes that double: of transforms over planes and boxes, n^2 log n and n^3 log n. Where
 * each size is a power of two times the smallest, log2 n steps by 1 or more, and counts with
 * such terms can be met exactly. At other sizes they would be two more ways to meet five values by
 * chance, so they are not among the default terms.
 *
 * Pure and thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_DOUBLING_H
#define FT_FIT_FUNCTIONS_DOUBLING_H

#include "formats/model/basis.h"

/* Adds the terms, of one parameter, where at least five sizes double. */
void ft_doubling_extend(struct ft_basis *basis, const double *n, size_t count);

/* The terms that it adds. */
uint32_t ft_doubling_terms(const struct ft_basis *basis);

/* The sets of terms that loops of transforms make; 0 where the basis lacks these terms. Needs room
 * for FT_DOUBLING_SETS masks; returns how many. */
#define FT_DOUBLING_SETS 10U
size_t ft_doubling_sets(const struct ft_basis *basis, uint32_t ret_sets[FT_DOUBLING_SETS]);

/* Whether all sizes are powers of two times the smallest. */
bool ft_sizes_double(const double *n, size_t count);

#endif
