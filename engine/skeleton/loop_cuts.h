/*
 * The loops of a nest builder whose iterations are cut (iteration_cut.h) or looked at, by their
 * contexts.
 */
#ifndef FT_ENGINE_SKELETON_LOOP_CUTS_H
#define FT_ENGINE_SKELETON_LOOP_CUTS_H

#include "engine/skeleton/irregular.h"
#include "engine/skeleton/irregular_search.h"
#include "engine/skeleton/iteration_cut.h"

/* Of each iteration; NULL: the loop is left. */
typedef int ft_iteration_watcher(void *context, const struct ft_nest *iteration,
                                 struct ft_diag *diag);

/* The caller's. */
struct ft_loop_cut {
    uint64_t context;                   /* of the loop (irregular_search.h) */
    const struct ft_iteration_cut *cut; /* or NULL: the loop is only watched, and has no parts */
    ft_iteration_watcher *watch;
    void *watching;
    size_t longest; /* what was kept of an iteration, at most, in tokens */
};

struct ft_cut_loop {
    uint64_t context; /* by the builder's ids */
    struct ft_loop_cut *cut;
    uint32_t irregular; /* that has the paths */
};

struct ft_loop_cuts {
    struct ft_cut_loop *loops;
    size_t count, capacity;
    struct ft_cut_elements elements;
    struct ft_nest kept, drawn; /* of the last iteration */
};
void ft_loop_cuts_fini(struct ft_loop_cuts *cuts);
bool ft_loop_cuts_add(struct ft_loop_cuts *cuts, const struct ft_cut_loop *loop);
/* NULL: it is not cut. */
const struct ft_cut_loop *ft_loop_cuts_find(const struct ft_loop_cuts *cuts, uint64_t context);
/* Cuts an iteration; what is drawn is added to the irregular loop. */
int ft_loop_cuts_apply(struct ft_loop_cuts *cuts, const struct ft_cut_loop *loop,
                       const struct ft_nest *iteration, struct ft_irregular *irregular,
                       uint64_t *by_reference, struct ft_diag *diag);
/* The loop is left. irregulars: [id]. */
int ft_loop_cuts_leave(const struct ft_cut_loop *loop, struct ft_irregular *irregulars,
                       struct ft_diag *diag);
/* The context under which the paths of a loop are kept. */
struct ft_nest_context ft_loop_cut_context(struct ft_nest_context loop);

#endif
