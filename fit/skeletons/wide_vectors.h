/*
 * Loops of vectors in calls of string routines that are written in steps of 16 bytes, whatever the
 * width of the vectors (heap_calls.h): as many vectors as these are wide.
 */
#ifndef FT_FIT_SKELETONS_WIDE_VECTORS_H
#define FT_FIT_SKELETONS_WIDE_VECTORS_H

#include "formats/skeleton/skeleton.h"

/* Those whose trip counts can be divided in all iterations of the loops around. */
int ft_vectors_widen(const struct ft_skeleton *skeleton, struct ft_nest *nest,
                     struct ft_diag *diag);

#endif
