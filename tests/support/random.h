/*
 * Random numbers for tests. The state is the caller's; equal seeds give equal numbers on every
 * machine.
 */
#ifndef FT_TESTS_SUPPORT_RANDOM_H
#define FT_TESTS_SUPPORT_RANDOM_H

#include "formats/base/splitmix.h"

static inline uint64_t random_next(uint64_t *state)
{
    return ft_splitmix(state);
}

/* From 0 to limit - 1. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
    return random_next(state) % limit;
}

#endif
