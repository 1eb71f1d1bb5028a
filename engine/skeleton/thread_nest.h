/*
 * Takes a thread's runs of accesses and fetches, follows them through the scope tree
 * (engine/program/scope_walk.h) and builds the thread's nest. Of a run with many iterations the
 * first ones are followed, and the others taken at once where they go on alike.
 */
#ifndef FT_ENGINE_SKELETON_THREAD_NEST_H
#define FT_ENGINE_SKELETON_THREAD_NEST_H

#include "engine/program/scope_walk.h"
#include "engine/skeleton/heap_blocks.h"
#include "engine/skeleton/nest_building.h"

/* Called with the accesses taken so far in this reading; a failure ends it. */
typedef int ft_thread_nest_watcher(void *context, uint64_t accesses, struct ft_diag *diag);

/* Opens the thread's source at its start; its fetches may leave out steps->passed. */
typedef int ft_thread_nest_opener(void *context, struct ft_run_source **ret_source,
                                  struct ft_diag *diag);

struct ft_thread_nest_task {
    const struct ft_scope_steps *steps;
    ft_thread_nest_opener *open;
    ft_thread_nest_watcher *watch; /* may be NULL */
    void *context;                 /* of both */
    size_t routine_count;
    size_t loop_words;                     /* 0: the default */
    const struct ft_thread_memory *memory; /* addresses become places; NULL: they don't */
};
/* FT_ERROR_UNSUPPORTED where too much would have to be kept. ret_blocks: of a task
 * with memory, events are the caller's to free; NULL: not wanted. */
int ft_thread_nest(const struct ft_thread_nest_task *task, struct ft_thread_skeleton *ret_thread,
                   struct ft_block_events *ret_blocks, struct ft_diag *diag);

#endif
