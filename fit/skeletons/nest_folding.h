/*
 * Loops of a nest that are folded again, since what stands in them was written otherwise
 * (string_calls.h, sporadic_accesses.h).
 */
#ifndef FT_FIT_SKELETONS_NEST_FOLDING_H
#define FT_FIT_SKELETONS_NEST_FOLDING_H

#include "fit/skeletons/loop_contexts.h"
#include "formats/skeleton/nest.h"

/* is_run: [token]: these loops; kept_runs: loops whose runs are kept. Replaces the nest. */
int ft_nest_fold_again(const bool *is_run, const struct ft_loop_contexts *kept_runs,
                       struct ft_nest *nest, struct ft_diag *diag);

#endif
