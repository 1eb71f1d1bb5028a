/*
 * Whether the laws of a skeleton over sizes hold where executions were counted alone: it makes the
 * accesses of routines of which it knows everything, and these were counted.
 */
#ifndef FT_FIT_COUNTED_SKELETON_H
#define FT_FIT_COUNTED_SKELETON_H

#include "fit/fit_work.h"

/* FT_ERROR_USAGE, with ret_reason, where they do not. Sizes with residues that the laws do not
 * reach say nothing. */
int ft_counted_skeleton_check(const struct ft_fit_work *work, const struct ft_sized_skeleton *sized,
                              struct ft_diag *ret_reason);

#endif
