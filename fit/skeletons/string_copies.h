/*
 * How long the calls of memcpy and the like are.
 */
#ifndef FT_FIT_SKELETONS_STRING_COPIES_H
#define FT_FIT_SKELETONS_STRING_COPIES_H

#include "formats/skeleton/skeleton.h"

/* The longest of each routine in a nest of a skeleton's tokens. ret_longest: [scope], in bytes. */
void ft_string_copies_longest(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                              uint64_t *ret_longest);

/* Accesses of each reference, in a nest likewise, by vectors in the loops of calls so long that the
 * C library may take a string instruction for them. ret_accesses: [reference]. */
int ft_string_vectors_long(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                           double *ret_accesses, struct ft_diag *diag);

#endif
