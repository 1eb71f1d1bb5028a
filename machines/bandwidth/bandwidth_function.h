/*
 * Memory bandwidth as a function of cache hit rates: Eq. 1 to 6 of Tikir et al., SC 2007, section 3
 * (docs/convolver.md). Hit rates are cumulative, from 0 to 1, one a cache: what hits there or
 * before; memory's is 1. Bandwidth counts the 8 bytes that each access asks for.
 *
 * Pure, thread safe.
 */
#ifndef FT_MACHINES_BANDWIDTH_BANDWIDTH_FUNCTION_H
#define FT_MACHINES_BANDWIDTH_BANDWIDTH_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FT_BANDWIDTH_LEVELS_MAX    8 /* memory included */
#define FT_BANDWIDTH_PENALTIES_MAX 2 /* levels with a damping term: the first two */
#define FT_BANDWIDTH_PARAMETERS_MAX                                                                \
    (2 * FT_BANDWIDTH_LEVELS_MAX - 1 + 2 * FT_BANDWIDTH_PENALTIES_MAX)
#define FT_BANDWIDTH_BYTES_PER_ACCESS 8

/* How Eq. 6 is read, with z = (1 - h) / (1 - h + x). As printed it is negative; it is the
 * saturating one with f' = -f / e. */
enum ft_penalty {
    FT_PENALTY_PRINTED,    /* f (1 - exp(-z)) / (1 - e) t / T */
    FT_PENALTY_GROWING,    /* f (1 - exp(z)) / (1 - e) t / T */
    FT_PENALTY_SATURATING, /* f (1 - exp(-z)) / (1 - 1/e) t / T */
    FT_PENALTY_NONE,       /* Eq. 5 */
    FT_PENALTY_COUNT
};
extern const char *const ft_penalty_names[FT_PENALTY_COUNT];

struct ft_bandwidth_function {
    uint32_t level_count;                   /* caches, then memory: 2 or more */
    uint8_t penalty;                        /* enum ft_penalty */
    double cycles[FT_BANDWIDTH_LEVELS_MAX]; /* c: of an access; only their ratios matter, c_1 = 1 */
    double gb_per_s[FT_BANDWIDTH_LEVELS_MAX];   /* b: of each level at equilibrium */
    double factors[FT_BANDWIDTH_PENALTIES_MAX]; /* f */
    double offsets[FT_BANDWIDTH_PENALTIES_MAX]; /* x */
};

/* How many levels have a penalty: memory has none. */
static inline uint32_t ft_bandwidth_penalty_count(uint32_t level_count)
{
    return level_count - 1 < FT_BANDWIDTH_PENALTIES_MAX ? level_count - 1
                                                        : FT_BANDWIDTH_PENALTIES_MAX;
}

/* The largest |f| with which no hit rates give a bandwidth below 0. */
double ft_penalty_factor_max(enum ft_penalty penalty);

/* Eq. 3 and 4: the times t of the levels, ret_times: [level_count], and their sum T. hit_rates:
 * [level_count - 1]. */
double ft_bandwidth_times(const struct ft_bandwidth_function *function, const double *hit_rates,
                          double *ret_times);

/* GB/s. */
double ft_bandwidth_at(const struct ft_bandwidth_function *function, const double *hit_rates);

/* Makes hit rates of caches cumulative, within 0 and 1: a level that sees all accesses by itself
 * may hit less often than one before it. */
void ft_hit_rates_accumulate(double *hit_rates, size_t count);

/* Whether all parameters are numbers in their ranges. */
bool ft_bandwidth_function_is_valid(const struct ft_bandwidth_function *function);

#endif
