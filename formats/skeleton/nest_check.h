/*
 * Whether a nest that comes from a file is one: brackets inside each other, as many numbers as the
 * tokens have, ids of what there is, and no deeper than the recursion over nests can take.
 */
#ifndef FT_FORMATS_SKELETON_NEST_CHECK_H
#define FT_FORMATS_SKELETON_NEST_CHECK_H

#include "formats/skeleton/nest.h"

#define FT_NEST_BRACKETS_MAX 1024U /* inside each other */

struct ft_nest_ids { /* how many of each there are */
    size_t references, routines, loops, irregulars;
};
/* FT_ERROR_DATA where it is none. */
int ft_nest_check(const struct ft_nest *nest, const struct ft_nest_ids *ids, struct ft_diag *diag);

#endif
