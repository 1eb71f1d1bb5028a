/*
 * Loops in their calling contexts (engine/skeleton/irregular_search.h), by the ids of the largest
 * skeleton: those that sizes have in common.
 */
#ifndef FT_FIT_SKELETONS_LOOP_CONTEXTS_H
#define FT_FIT_SKELETONS_LOOP_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_loop_contexts {
    uint64_t *contexts;
    size_t count, capacity;
};
bool ft_loop_contexts_have(const struct ft_loop_contexts *loops, uint64_t context);
/* One that is there already is not added again. */
int ft_loop_contexts_add(struct ft_loop_contexts *loops, uint64_t context, struct ft_diag *diag);
void ft_loop_contexts_fini(struct ft_loop_contexts *loops);

#endif
