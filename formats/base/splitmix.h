/* Random numbers that are the same on every machine: splitmix64 (Steele, Lea & Flood 2014). */
#ifndef FT_FORMATS_BASE_SPLITMIX_H
#define FT_FORMATS_BASE_SPLITMIX_H

#include <stdint.h>

/* The next number of a generator; any state is a good one. */
static inline uint64_t ft_splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The next one as a number from 0 to below 1. */
static inline double ft_splitmix_uniform(uint64_t *state)
{
    return (double)(ft_splitmix(state) >> 11) * 0x1p-53;
}

#endif
