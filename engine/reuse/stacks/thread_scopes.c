#include "engine/reuse/stacks/thread_scopes.h"

#include <stdlib.h>

int ft_thread_scopes_init(struct ft_thread_scopes *threads, const struct ft_scope_steps *steps,
                          uint32_t reference_count, struct ft_diag *diag)
{
    threads->waiting = calloc(threads->count, sizeof *threads->waiting);
    int status = threads->waiting ? FT_OK : ft_fail_memory(diag, "the scopes of threads");
    for (uint32_t t = 1; !status && t < threads->count; t++) {
        threads->waiting[t].walk.steps = steps;
        status = ft_scope_times_init(&threads->waiting[t].times, steps != NULL, reference_count, t,
                                     threads->count, diag);
    }
    return status;
}

void ft_thread_scopes_change(struct ft_thread_scopes *threads, uint32_t thread,
                             struct ft_scope_walk *walk, struct ft_scope_times *times)
{
    threads->waiting[threads->current] = (struct ft_waiting_scopes){*walk, *times};
    *walk = threads->waiting[thread].walk;
    *times = threads->waiting[thread].times;
    threads->waiting[thread] = (struct ft_waiting_scopes){0};
    threads->current = thread;
}

uint64_t ft_thread_scopes_bytes(const struct ft_thread_scopes *threads)
{
    uint64_t bytes = 0;
    for (uint32_t t = 0; threads->waiting && t < threads->count; t++)
        bytes += sizeof *threads->waiting + ft_scope_walk_bytes(&threads->waiting[t].walk) +
                 ft_scope_times_bytes(&threads->waiting[t].times);
    return bytes;
}

void ft_thread_scopes_fini(struct ft_thread_scopes *threads)
{
    for (uint32_t t = 0; threads->waiting && t < threads->count; t++) {
        ft_scope_walk_fini(&threads->waiting[t].walk);
        ft_scope_times_fini(&threads->waiting[t].times);
    }
    free(threads->waiting);
    threads->waiting = NULL;
}
