/*
 * What an op cache brings of executed code, by the rules of docs/schedule.md: a loop over all of it
 * each time.
 */
#ifndef TESTS_SUPPORT_REFERENCE_OP_CACHE_H
#define TESTS_SUPPORT_REFERENCE_OP_CACHE_H

#include "engine/simulate/core/executed.h"

/* An instruction, or the beginning of a branch that ends in another window. */
struct reference_place {
    uint64_t window;
    bool brings; /* the instruction */
    bool ends;   /* fetch goes on elsewhere behind it */
};

struct reference_op_cache {
    const struct ft_op_cache *cache;
    struct reference_place *places; /* in the order of execution */
    uint32_t count;
    uint32_t at;  /* the next; the caller moves it on */
    uint32_t run; /* the first place of the run that `at` is in */
};

/* A cache without windows has no places. */
void reference_op_cache_init(struct reference_op_cache *op_cache, const struct ft_op_cache *cache,
                             const struct ft_executed *executed, uint32_t count);
void reference_op_cache_fini(struct reference_op_cache *op_cache);

/* Whether the next place brings no instruction. */
bool reference_op_cache_is_between(const struct reference_op_cache *op_cache);
/* Places that a cycle brings. */
uint32_t reference_op_cache_brings(struct reference_op_cache *op_cache);

#endif
