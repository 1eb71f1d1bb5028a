/*
 * CPU time of threads that help with a job, beside that of the thread which measures its own.
 */
#ifndef FT_ENGINE_REUSE_STACKS_ELSEWHERE_H
#define FT_ENGINE_REUSE_STACKS_ELSEWHERE_H

#include <omp.h>
#include <stdatomic.h>

#include "formats/base/clock.h"

struct ft_elsewhere {
    int home_thread; /* omp_get_thread_num() of who measures its own time */
    atomic_uint_fast64_t nanoseconds;
};

/* Adds what the calling thread has spent since start_ns (ft_thread_cpu_ns), unless it is at home.
 */
static inline void ft_elsewhere_add(struct ft_elsewhere *elsewhere, uint64_t start_ns)
{
    if (omp_get_thread_num() != elsewhere->home_thread)
        atomic_fetch_add(&elsewhere->nanoseconds, ft_thread_cpu_ns() - start_ns);
}

#endif
