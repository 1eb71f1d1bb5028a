/*
 * The parts of one nest in another: leaves, which are accesses outside of repetitions, and whole
 * repetitions, are matched in their order and under the same routines and loops. Tokens of both
 * must have the same ids (same_code.h). Thread safe.
 */
#ifndef FT_FIT_SKELETONS_ALIGNMENT_H
#define FT_FIT_SKELETONS_ALIGNMENT_H

#include "formats/skeleton/nest.h"

#define FT_UNMATCHED SIZE_MAX

/* ret_numbers[token of `nest`]: of a leaf, its first number in `other`, or FT_UNMATCHED; of other
 * tokens FT_UNMATCHED. */
int ft_nest_align(const struct ft_nest *nest, const struct ft_nest *other, size_t *ret_numbers,
                  struct ft_diag *diag);

#endif
