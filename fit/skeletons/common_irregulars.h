/*
 * The loops that are irregular at all sizes: those that are at one of them, and those whose
 * iterations do not fold at the largest size and have no laws. Small sizes may have too few
 * iterations for a loop to be noticed when its trace was read.
 */
#ifndef FT_FIT_SKELETONS_COMMON_IRREGULARS_H
#define FT_FIT_SKELETONS_COMMON_IRREGULARS_H

#include "fit/skeletons/loop_contexts.h"
#include "fit/skeletons/same_code.h"

/* Adds the irregular loops of a size. */
int ft_common_irregulars_add(struct ft_loop_contexts *common,
                             const struct ft_thread_skeleton *thread,
                             const struct ft_renamed_thread *renamed, struct ft_diag *diag);
/* Adds what keeps loops of the largest size's nest, that make at least 0.1 % of its accesses, from
 * folding where they are not sized: [token] of leaves. */
int ft_common_irregulars_search(struct ft_loop_contexts *common, const struct ft_nest *nest,
                                const bool *is_sized, struct ft_diag *diag);

#endif
