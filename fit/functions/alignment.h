/*
 * Terms for sizes that mix residues: where rows of N elements start at changing offsets in their
 * lines, counts of lines are no polynomials of N, but nearly ones of N and align(N, L) with L
 * elements per line (docs/fit.md, "Functions"). They join the default terms where the training
 * sizes can determine the effect of an alignment.
 *
 * Pure and thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_ALIGNMENT_H
#define FT_FIT_FUNCTIONS_ALIGNMENT_H

#include "formats/model/basis.h"

/* Adds align(n, L) n^0 to n^2 for the L of lines of 32 to 128 bytes with elements of 8 bytes, where
 * the sizes have several alignments, each of two or more sizes. */
void ft_alignment_extend(struct ft_basis *basis, const double *n, size_t count);

#define FT_ALIGNED_POWERS 3U

/* The terms with an alignment. */
uint32_t ft_alignment_terms(const struct ft_basis *basis);
/* Those with a quotient (formats/model/basis.h). */
uint32_t ft_quotient_terms(const struct ft_basis *basis);

/* The sets with alignments that belong to a set without: in addition to its leading term n^m, those
 * with n^(m-1), n^(m-2), or both, of one L. Needs room for FT_ALIGNMENT_SETS masks; returns how
 * many. */
#define FT_ALIGNMENT_SETS 9U
size_t ft_alignment_sets(const struct ft_basis *basis, uint32_t set,
                         uint32_t ret_sets[FT_ALIGNMENT_SETS]);

/* All powers up to a degree, and align(n, modulus) with all those below it; 0 where the basis lacks
 * one. */
uint32_t ft_alignment_whole_set(const struct ft_basis *basis, unsigned degree, unsigned modulus);

#endif
