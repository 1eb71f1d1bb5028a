/*
 * A source of runs at places (formats/skeleton/places.h) as one at addresses, for given blocks and
 * stack (placing.h). A run that leaves its block is split into its iterations.
 */
#ifndef FT_ENGINE_SKELETON_PLACED_SOURCE_H
#define FT_ENGINE_SKELETON_PLACED_SOURCE_H

#include "engine/skeleton/placing.h"
#include "formats/expand/runs.h"

/* Takes `places_source` over, also where it fails; the arrays of places stay the caller's. */
int ft_placed_source_create(struct ft_run_source *places_source, const struct ft_places *places,
                            struct ft_run_source **ret_source, struct ft_diag *diag);

#endif
