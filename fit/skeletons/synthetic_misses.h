/*
 * Exact simulation of a machine's caches (engine/simulate/simulate.h) on the accesses that a
 * synthesis makes, by warping (engine/simulate/warping/) where that skips most of them.
 */
#ifndef FT_FIT_SKELETONS_SYNTHETIC_MISSES_H
#define FT_FIT_SKELETONS_SYNTHETIC_MISSES_H

#include "engine/simulate/simulate.h"
#include "fit/skeletons/synthesis.h"

/* References are those of the largest training size. FT_ERROR_UNSUPPORTED where the synthesis makes
 * more accesses than it may, or more would have to be simulated. progress may be NULL. */
int ft_synthesis_simulate(const struct ft_synthesis *synthesis, const struct ft_machine *machine,
                          struct ft_progress *progress, struct ft_simulation *ret_simulation,
                          struct ft_diag *diag);

#endif
