/*
 * Distances within sets: how many of the distinct other blocks between two touches of a block were
 * in its own set, of 1, 2, 4 ... sets, by sampled touches. A touch misses in a cache of 2^k sets
 * exactly if as many were as it has ways, or it is cold (Mattson et al. 1970).
 *
 * Touches are counted by steps of the distance, four an octave. All is owned.
 */
#ifndef FT_FORMATS_HISTOGRAMS_SET_DISTANCES_H
#define FT_FORMATS_HISTOGRAMS_SET_DISTANCES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "formats/base/status.h"

#define FT_SET_BITS_MAX     16U  /* log2 of the largest number of sets */
#define FT_SET_DISTANCE_MAX 64U  /* longer ones count as this */
#define FT_SET_STEPS        128U /* of distances up to 2^32, as ft_set_distance_step counts them */

/* Of one block size, number of sets and step: so many touches had `in_set` blocks in their set.
 * With set_bits 0 in_set is 0, and the touches are all of the step; with others those whose in_set
 * is 0 are left out. */
struct ft_set_distance {
    uint32_t size; /* number of the block size */
    uint32_t set_bits, step, in_set;
    double touches;
};

struct ft_set_distances {
    struct ft_set_distance *rows; /* by size, set_bits, step, in_set; each once */
    size_t count;
};

/* Of a distance of 1 or more: 4 k for 2^k, and linear between powers of two. */
static inline uint32_t ft_set_distance_step(double distance_blocks)
{
    uint64_t
        bits; /* the exponent, then the mantissa, of which the first two bits say the quarter */
    memcpy(&bits, &distance_blocks, sizeof bits);
    return (uint32_t)(bits >> 50) - 4 * 1023;
}

/* The order of rows, for qsort: below 0, 0, above 0. */
int ft_set_distance_compare(const void *a, const void *b);
/* Puts rows in their order, and makes one of those that differ in nothing but touches. */
void ft_set_distances_sum(struct ft_set_distances *distances);
int ft_set_distances_copy(const struct ft_set_distances *distances,
                          struct ft_set_distances **ret_copy, struct ft_diag *diag);
/* NULL is allowed. */
void ft_set_distances_free(struct ft_set_distances *distances);

#endif
