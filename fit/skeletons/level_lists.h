/*
 * Lists of levels in nests of sizes that double: what a program does for each of log2 N + c levels,
 * such as the passes of a transform, or the grids of a multigrid cycle. They are the iterations of
 * a loop, or what the activations of a routine that calls itself once do before and behind that
 * call. At small sizes they are too few to fold, and seldom double everything.
 */
#ifndef FT_FIT_SKELETONS_LEVEL_LISTS_H
#define FT_FIT_SKELETONS_LEVEL_LISTS_H

#include "formats/skeleton/nest.h"

/* A bracket in nests of the fit alone: a list of levels, each an ONCE; its id says which end of the
 * list has the level of the size itself. No number of its own. */
#define FT_LEVELS ((enum ft_nest_kind)(FT_NEST_GEOMETRIC + 1))
enum ft_levels_from { FT_LEVELS_FROM_FIRST, FT_LEVELS_FROM_LAST };

/* nests: [size], by ascending size, with tokens of the same ids. ret_nests: [size], the caller's,
 * that run the same; *ret_found: false where there are no such lists, and no nests. */
int ft_level_lists_mark(const struct ft_nest *nests, const double *sizes, size_t size_count,
                        struct ft_nest *ret_nests, bool *ret_found, struct ft_diag *diag);

#endif
