/*
 * A batch of runs without the steps that the walk of scopes comes to the same without: most of the
 * instructions inside a block; or without all steps. What is left is for the replay, which takes
 * less time for fewer entries, and finds repetitions that are longer.
 */
#ifndef FT_ENGINE_REPLAY_NEEDED_STEPS_H
#define FT_ENGINE_REPLAY_NEEDED_STEPS_H

#include "engine/structure/scope_steps.h"

/* A batch with its arrays, owned; all zero at first. */
struct ft_needed_steps {
    struct ft_run *runs;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t run_capacity, reference_capacity, address_capacity, stride_capacity;
};

/* References from `first` on are steps; steps: NULL where none is needed. ret_batch lives until the
 * next call. */
int ft_needed_steps_keep(struct ft_needed_steps *needed, uint32_t first,
                         const struct ft_scope_steps *steps, const struct ft_run_batch *batch,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag);
void ft_needed_steps_fini(struct ft_needed_steps *needed);

#endif
