/*
 * CPU time of threads that help with a job, apart from the thread that measures its own.
 */
#ifndef FT_ENGINE_REUSE_STACKS_HELPER_TIME_H
#define FT_ENGINE_REUSE_STACKS_HELPER_TIME_H

#include <omp.h>
#include <stdatomic.h>

#include "formats/base/clock.h"

struct ft_helper_time {
    int home_thread; /* omp_get_thread_num() of the thread that measures its own time */
    atomic_uint_fast64_t nanoseconds;
};

/* Adds the calling thread's CPU time since start_ns (ft_thread_cpu_ns), unless it is the home
 * thread. */
static inline void ft_helper_time_add(struct ft_helper_time *helper_time, uint64_t start_ns)
{
    if (omp_get_thread_num() != helper_time->home_thread)
        atomic_fetch_add(&helper_time->nanoseconds, ft_thread_cpu_ns() - start_ns);
}

#endif
