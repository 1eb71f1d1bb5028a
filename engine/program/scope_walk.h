/*
 * Tracks a thread through the scope tree, step by step: its routine activations, and in each the
 * loops it is in (docs/replay.md, "Carrying scope").
 *
 * Changes are recorded as a list of operations for the kernel to follow (pairs.h), each at a touch
 * of the current batch. A scope in which nothing is touched records no operations.
 */
#ifndef FT_ENGINE_PROGRAM_SCOPE_WALK_H
#define FT_ENGINE_PROGRAM_SCOPE_WALK_H

#include "engine/program/scope_steps.h"

#define FT_SCOPE_ITERATES UINT32_MAX
#define FT_SCOPE_LEFT     (UINT32_MAX - 1)

struct ft_scope_operation {
    uint32_t touch; /* before this touch of the batch */
    uint32_t depth; /* levels that contain it */
    uint32_t scope; /* the scope entered, now the last level; FT_SCOPE_ITERATES: the last level
                       iterates; FT_SCOPE_LEFT: deeper levels are left */
};

struct ft_scope_level {
    uint64_t return_pc; /* routines: where it returns to; 0: unknown */
    uint32_t routine;
    uint32_t loop; /* FT_NO_LOOP: the routine itself */
};

/* Independent users of ft_scope_walk_is_back. */
enum ft_scope_watch { FT_WATCH_ITERATIONS, FT_WATCH_ROWS, FT_WATCH_PERIODS, FT_SCOPE_WATCHES };

struct ft_scope_walk {
    const struct ft_scope_steps *steps; /* the caller's */
    struct ft_scope_level *levels;
    size_t depth, capacity;
    size_t
        depth_min[FT_SCOPE_WATCHES]; /* since it was reset to depth: levels below are unchanged */
    const struct ft_scope_step *previous;
    struct ft_scope_operation *operations;
    size_t operation_count, operation_capacity;
    size_t depth_max; /* maximum over the operations */
};

void ft_scope_walk_fini(struct ft_scope_walk *walk);
/* Memory in use. */
static inline uint64_t ft_scope_walk_bytes(const struct ft_scope_walk *walk)
{
    return walk->capacity * sizeof *walk->levels +
           walk->operation_capacity * sizeof *walk->operations;
}
/* The deepest activations, to detect a return to the same state. */
#define FT_SCOPE_SNAPSHOT_LEVELS 32U
struct ft_scope_snapshot {
    struct ft_scope_level levels[FT_SCOPE_SNAPSHOT_LEVELS];
    size_t depth, first; /* levels first .. depth - 1 */
    const struct ft_scope_step *previous;
};
void ft_scope_walk_remember(struct ft_scope_walk *walk, enum ft_scope_watch watch,
                            struct ft_scope_snapshot *ret_snapshot);
/* Whether the walk is in the state of this watch's last snapshot: then the same instructions lead
 * through the same scopes again. May be false although it is. */
bool ft_scope_walk_is_back(const struct ft_scope_walk *walk, enum ft_scope_watch watch,
                           const struct ft_scope_snapshot *snapshot);
/* Executes the instruction of this reference, a fetch; touch: number of touches in the batch. */
int ft_scope_walk_step(struct ft_scope_walk *walk, uint32_t reference, size_t touch,
                       struct ft_diag *diag);

#endif
