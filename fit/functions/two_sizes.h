/*
 * What two sizes tell of a function: how fast it grows between them. It is the term that grows so,
 * or a sum of the next slower and the next faster one. No law is confirmed; it serves as a replica
 * of models of three sizes, for how far off it is at the third one tells how sure they are.
 *
 * Pure and thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_TWO_SIZES_H
#define FT_FIT_FUNCTIONS_TWO_SIZES_H

#include "fit/functions/axis.h"

/* y[2] at the sizes of the axis; of the terms as a mask, and the constant. What falls is taken for
 * a constant, the mean. */
struct ft_function ft_two_sizes_fit(const struct ft_axis *axis, const double *y, uint32_t terms);

#endif
