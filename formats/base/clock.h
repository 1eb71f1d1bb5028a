/*
 * Clocks for progress, limits and what commands report about themselves; no result depends on them.
 */
#ifndef FT_FORMATS_BASE_CLOCK_H
#define FT_FORMATS_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t ft_clock_read_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* Monotonic; only differences mean something. */
static inline uint64_t ft_clock_ns(void)
{
    return ft_clock_read_ns(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread. */
static inline uint64_t ft_thread_cpu_ns(void)
{
    return ft_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
