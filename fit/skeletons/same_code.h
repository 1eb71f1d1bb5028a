/*
 * The tokens of a skeleton with the ids that the same code has in another one of the same program:
 * references, loops and routines by their places in modules, which are known by name. Code that the
 * other does not have gets ids beyond all of its own.
 */
#ifndef FT_FIT_SKELETONS_SAME_CODE_H
#define FT_FIT_SKELETONS_SAME_CODE_H

#include "formats/skeleton/skeleton.h"

/* The tokens of a thread, to be freed. FT_ERROR_DATA where the modules differ, so that places mean
 * nothing. */
int ft_skeleton_tokens(const struct ft_skeleton *skeleton, uint32_t thread,
                       const struct ft_skeleton *of, uint32_t **ret_tokens, struct ft_diag *diag);

#endif
