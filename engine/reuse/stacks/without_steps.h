/*
 * Removes the steps of the program (scope_walk.h) from a batch of runs, for a replay that does not
 * follow scopes next to one that does.
 */
#ifndef FT_ENGINE_REUSE_STACKS_WITHOUT_STEPS_H
#define FT_ENGINE_REUSE_STACKS_WITHOUT_STEPS_H

#include "formats/expand/runs.h"

/* A batch with its arrays, owned; initially all zero. */
struct ft_without_steps {
    struct ft_run *runs;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t run_capacity, reference_capacity, address_capacity, stride_capacity;
};

/* References from `first_step` on are steps. ret_batch is valid until the next call. */
int ft_without_steps_take(struct ft_without_steps *without, uint32_t first_step,
                          const struct ft_run_batch *batch, struct ft_run_batch *ret_batch,
                          struct ft_diag *diag);
void ft_without_steps_fini(struct ft_without_steps *without);

#endif
