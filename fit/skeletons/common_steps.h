/*
 * Loops of few iterations, as many at all sizes, such as over the steps of a simulation, which fold
 * at some sizes and not at others: a step whose allocations take another path keeps it from
 * folding, and from which size on it does the allocator says. Their iterations are taken one by one
 * at all sizes then, so that each is matched with itself.
 */
#ifndef FT_FIT_SKELETONS_COMMON_STEPS_H
#define FT_FIT_SKELETONS_COMMON_STEPS_H

#include "fit/skeletons/loop_contexts.h"
#include "formats/skeleton/nest.h"

/* Of loops that nothing around repeats; nests: [size], with ids in common. */
int ft_common_steps_find(const struct ft_nest *nests, size_t size_count,
                         struct ft_loop_contexts *ret_loops, struct ft_diag *diag);

/* Replaces a nest. names: [token]: its tokens with ids in common. */
int ft_common_steps_unfold(const struct ft_loop_contexts *loops, const uint32_t *names,
                           struct ft_nest *nest, struct ft_diag *diag);

#endif
