/*
 * A repeated string instruction makes its accesses to aligned granules (docs/trace-format.md,
 * "String instructions"). Calls that are taken for so many granules (string_calls.h) have them
 * where the largest size's do; its operands may begin elsewhere in a granule.
 */
#ifndef FT_FIT_SKELETONS_ALIGNED_GRANULES_H
#define FT_FIT_SKELETONS_ALIGNED_GRANULES_H

#include "engine/skeleton/placing.h"
#include "formats/skeleton/skeleton.h"

/* Of a nest of a skeleton's tokens, for these blocks. Where iterations are apart by a part of a
 * granule the accesses stay as they are. */
int ft_granules_align(const struct ft_skeleton *skeleton, const struct ft_places *places,
                      struct ft_nest *nest, struct ft_diag *diag);

#endif
