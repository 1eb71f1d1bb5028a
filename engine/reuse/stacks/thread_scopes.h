/*
 * Where the threads of a shared stack are in the scopes of the program, each for itself: a replay
 * has those of the thread whose batches it takes (batch.h), those of the others wait here until it
 * is their turn. Operations must be flushed whenever threads change.
 */
#ifndef FT_ENGINE_REUSE_STACKS_THREAD_SCOPES_H
#define FT_ENGINE_REUSE_STACKS_THREAD_SCOPES_H

#include "engine/reuse/stacks/pairs.h"

struct ft_waiting_scopes {
    struct ft_scope_walk walk;
    struct ft_scope_times times;
};

struct ft_thread_scopes {
    uint32_t count;                    /* of the threads */
    uint32_t current;                  /* at hand */
    struct ft_waiting_scopes *waiting; /* [thread]; that of the one at hand is empty */
};

/* Of all threads but the first, of which there are threads->count. steps: as scopes are followed,
 * or NULL. */
int ft_thread_scopes_init(struct ft_thread_scopes *threads, const struct ft_scope_steps *steps,
                          uint32_t reference_count, struct ft_diag *diag);
/* Puts what is at hand to the others, and another thread's in its place. */
void ft_thread_scopes_change(struct ft_thread_scopes *threads, uint32_t thread,
                             struct ft_scope_walk *walk, struct ft_scope_times *times);
/* Memory in use. */
uint64_t ft_thread_scopes_bytes(const struct ft_thread_scopes *threads);
void ft_thread_scopes_fini(struct ft_thread_scopes *threads);

#endif
