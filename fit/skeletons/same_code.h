/*
 * Gives the tokens of a skeleton the ids that the same code has in another one of the same program:
 * references, loops and routines by their places in modules, which are known by name. Code that the
 * other does not have gets ids beyond all of its own.
 */
#ifndef FT_FIT_SKELETONS_SAME_CODE_H
#define FT_FIT_SKELETONS_SAME_CODE_H

#include "engine/skeleton/trace_skeleton.h"

/* Rewrites the nests of `skeleton`. FT_ERROR_DATA where the modules differ, so that places mean
 * nothing. */
int ft_skeleton_take_ids(struct ft_skeleton *skeleton, const struct ft_skeleton *of,
                         struct ft_diag *diag);

#endif
