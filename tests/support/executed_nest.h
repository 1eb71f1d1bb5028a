/*
 * A loop nest that a test executes: each access goes into a nest and into a list, so that what the
 * nest, or laws over sizes, give back can be held against it. Aborts where something fails.
 */
#ifndef FT_TESTS_SUPPORT_EXECUTED_NEST_H
#define FT_TESTS_SUPPORT_EXECUTED_NEST_H

#include "engine/skeleton/nest_building.h"

#define EXECUTED_IDS 24U /* references, loops and routines are below */

struct executed_access {
    uint32_t reference;
    uint64_t address;
};

struct executed_nest {
    struct ft_nest_builder *builder;
    size_t level;
    struct executed_access *accesses;
    size_t count, capacity;
    struct ft_diag diag;
};

void executed_nest_start(struct executed_nest *executed);
void executed_enter(struct executed_nest *executed, uint32_t loop);
void executed_call(struct executed_nest *executed, uint32_t routine);
/* Before each iteration but for the first. */
void executed_iterate(struct executed_nest *executed);
void executed_leave(struct executed_nest *executed);
void executed_access(struct executed_nest *executed, uint32_t reference, uint64_t address);
/* ret_thread: with the nest, to be freed as executed_nest_fini frees the list. */
void executed_nest_end(struct executed_nest *executed, struct ft_thread_skeleton *ret_thread);
void executed_nest_fini(struct executed_nest *executed);

/* Whether a nest makes these accesses, in their order. */
bool executed_nest_is_made(const struct executed_nest *executed, const struct ft_nest *nest);

#endif
