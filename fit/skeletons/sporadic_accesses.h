/*
 * Accesses that only some iterations of a loop make, as the data have it, such as the load of a
 * constant where a number is below 0: of the stack or a module, and few. Without them these
 * iterations do what the others do, and the loop folds.
 */
#ifndef FT_FIT_SKELETONS_SPORADIC_ACCESSES_H
#define FT_FIT_SKELETONS_SPORADIC_ACCESSES_H

#include "fit/skeletons/loop_contexts.h"
#include "formats/skeleton/skeleton.h"

/* A reference in a loop, in its calling context. */
struct ft_sporadic_access {
    uint64_t context;
    uint32_t reference;
};
struct ft_sporadic_accesses {
    struct ft_sporadic_access *accesses;
    size_t count, capacity;
};
void ft_sporadic_accesses_fini(struct ft_sporadic_accesses *sporadic);

/* Adds those of a size's nest, with the ids of the largest. */
int ft_sporadic_accesses_find(struct ft_sporadic_accesses *sporadic, const struct ft_nest *nest,
                              struct ft_diag *diag);
/* A nest without them, whose loops are folded again. ret_nest: the caller's; ret_left_out:
 * [reference below reference_count]: added to, how many they were. */
int ft_sporadic_accesses_leave_out(const struct ft_sporadic_accesses *sporadic,
                                   const struct ft_loop_contexts *kept_runs,
                                   const struct ft_nest *nest, struct ft_nest *ret_nest,
                                   uint64_t *ret_left_out, uint32_t reference_count,
                                   struct ft_diag *diag);

#endif
