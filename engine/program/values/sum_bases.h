/*
 * Numbers for what sums have besides their constants: two sums of one routine have one base if and
 * only if they differ by a constant. Made for one routine after another in the same memory.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_SUM_BASES_H
#define FT_ENGINE_PROGRAM_VALUES_SUM_BASES_H

#include <stddef.h>

#include "engine/program/values/sums.h"

struct ft_sum_bases {
    struct ft_sum *sums; /* without constants */
    uint32_t count;
    uint32_t before; /* bases of earlier routines */
    uint32_t *slots; /* 1 + index of a sum, by hash; 0: free */
    size_t slot_count;
    size_t sum_capacity, slot_capacity;
};

/* The bases of another routine. `bases` is {0} or was used before; their numbers are above
 * `before`. */
void ft_sum_bases_begin(struct ft_sum_bases *bases, uint32_t before);
/* False without memory. 0: the sum is a constant. */
bool ft_sum_base(struct ft_sum_bases *bases, const struct ft_sum *sum, uint32_t *ret_base);
void ft_sum_bases_fini(struct ft_sum_bases *bases);

#endif
