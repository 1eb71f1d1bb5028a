/*
 * Walks a nest as it runs: accesses, innermost loops as runs, and the iterations of those around
 * them, of which whoever follows may skip some. Irregular loops are drawn, or nothing. One thread
 * at a time.
 */
#ifndef FT_ENGINE_SKELETON_NEST_WALK_H
#define FT_ENGINE_SKELETON_NEST_WALK_H

#include "engine/skeleton/drawing.h"
#include "formats/skeleton/nest.h"

enum ft_walk_event {
    FT_WALK_END,
    FT_WALK_ACCESS, /* tokens: the access; numbers: its address */
    FT_WALK_RUN,    /* a loop without loops: tokens: its body; numbers: iterations, then addresses,
                       number_count of them, and as many strides */
    FT_WALK_IRREGULAR, /* tokens: the irregular loop */
    FT_WALK_ENTER,     /* another loop is entered: its first iteration */
    FT_WALK_ITERATE,   /* the innermost loop begins another iteration */
    FT_WALK_LEAVE      /* it is left */
};

/* Valid until the next step. */
struct ft_walk_step {
    enum ft_walk_event event;
    const uint32_t *tokens;
    size_t token_count;
    const uint64_t *numbers;
    size_t number_count;
};

/* A loop, in an iteration. */
struct ft_walked_loop {
    struct ft_nest_span body; /* with the numbers of this iteration */
    const uint64_t *steps;    /* by how much these change with each, or where is_back the negative
                                 of that; NULL: they do not, are drawn, or grow by powers */
    bool is_back;
    uint64_t iterations_left; /* with this one */
    uint64_t alike_left;      /* those of them that run the same parts */
};

struct ft_nest_walk;
/* The nest must outlive it. drawing: of irregular loops, taken over, also after a failure; or
 * NULL. */
int ft_nest_walk_create(const struct ft_nest *nest, struct ft_drawing *drawing,
                        struct ft_nest_walk **ret_walk, struct ft_diag *diag);
void ft_nest_walk_destroy(struct ft_nest_walk *walk);
int ft_nest_walk_next(struct ft_nest_walk *walk, struct ft_walk_step *ret_step,
                      struct ft_diag *diag);

/* How many loops are active, the whole nest not counted. */
size_t ft_nest_walk_depth(const struct ft_nest_walk *walk);
/* One of them: depth 0 is the whole nest. */
struct ft_walked_loop ft_nest_walk_loop(const struct ft_nest_walk *walk, size_t depth);
/* After ENTER or ITERATE, of a loop that is not drawn: some of the iterations alike. */
void ft_nest_walk_skip(struct ft_nest_walk *walk, uint64_t iterations);
/* Whether an irregular loop may make accesses. */
bool ft_nest_walk_draws(const struct ft_nest_walk *walk, uint32_t irregular);

#endif
