/*
 * Where each thread of a shared stack is in the scope tree: a replay holds the walk of the current
 * thread (batch.h), those of the others are parked here. Flush operations before the thread
 * changes.
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
    uint32_t current;                  /* the current one */
    struct ft_waiting_scopes *waiting; /* [thread]; that of the current one is empty */
};

/* For threads->count threads, the first of which is current. steps: as scopes are followed, or
 * NULL. */
int ft_thread_scopes_init(struct ft_thread_scopes *threads, const struct ft_scope_steps *steps,
                          uint32_t reference_count, struct ft_diag *diag);
/* Parks the current thread's walk and times, and swaps in another thread's. */
void ft_thread_scopes_change(struct ft_thread_scopes *threads, uint32_t thread,
                             struct ft_scope_walk *walk, struct ft_scope_times *times);
/* Memory in use. */
uint64_t ft_thread_scopes_bytes(const struct ft_thread_scopes *threads);
void ft_thread_scopes_fini(struct ft_thread_scopes *threads);

#endif
