/*
 * Periods of counts: loops that take L elements at a time (vectors, unrolled bodies, tiles) run
 * floor((n + k) / L) times, and their remainder n - L floor(n / L) times. A program's L and k are
 * found in its counts: those that a combination of quotients and powers meets exactly at all
 * training sizes, where chance is ruled out (quasi_exact.h), and no other such law of as few terms
 * differs at any size that the training sizes determine (formats/model/basis.h).
 *
 * Used by one thread at a time.
 */
#ifndef FT_FIT_FUNCTIONS_PERIOD_SEARCH_H
#define FT_FIT_FUNCTIONS_PERIOD_SEARCH_H

#include "fit/functions/axis.h"

/* Adds the quotients that occur in laws of the counts to a default basis of one parameter; nothing
 * if sizes are too few, or have one residue. counts: [count_count][size_count], modified in place;
 * n ascending. */
int ft_period_search_extend(struct ft_basis *basis, const double *n, size_t size_count,
                            const double *counts, size_t count_count, struct ft_diag *diag);

#endif
