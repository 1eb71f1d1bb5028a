/*
 * Accesses that stay in the same few blocks while all others of a loop move on, such as those of
 * spilled registers: without them the sets of a cache rotate, with them their own sets do not. Sets
 * do not depend on each other, so a cache is simulated without these accesses, and their sets by
 * themselves, with them and without.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_FIXED_ACCESSES_H
#define FT_ENGINE_SIMULATE_WARPING_FIXED_ACCESSES_H

#include "engine/simulate/warping/single_cache.h"
#include "engine/simulate/warping/warped_program.h"

struct ft_fixed_range {
    uint64_t start, end; /* addresses, the end not included */
};

struct ft_fixed_accesses {
    bool *is_fixed;                /* [token of the nest] */
    struct ft_fixed_range *ranges; /* of each */
    size_t range_count, range_capacity;
};
/* Of the loops in which most accesses are made. */
int ft_fixed_accesses_find(const struct ft_warped_program *program,
                           struct ft_fixed_accesses *ret_fixed, struct ft_diag *diag);
void ft_fixed_accesses_fini(struct ft_fixed_accesses *fixed);

/* The sets of a cache that they are in; none in ret_some, of which nothing is to be freed, where
 * they are too many to be worth it. */
int ft_fixed_sets_find(const struct ft_fixed_accesses *fixed, const struct ft_cache_form *form,
                       struct ft_some_sets *ret_some, struct ft_diag *diag);
void ft_some_sets_fini(struct ft_some_sets *some);

#endif
