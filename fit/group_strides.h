/*
 * The strides of the groups of a model at all training sizes, and where their references begin.
 */
#ifndef FT_FIT_GROUP_STRIDES_H
#define FT_FIT_GROUP_STRIDES_H

#include "fit/fit_work.h"

/* work: with members of groups. A formula that is no number at the size, such as 8*n, is taken from
 * the runs of the innermost loop, where they all had the same stride. */
int ft_group_strides_find(const struct ft_fit_work *work, struct ft_group_strides *ret_strides,
                          struct ft_diag *diag);

#endif
