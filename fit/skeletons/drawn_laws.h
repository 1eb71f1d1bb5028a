/*
 * Irregular loops over sizes (formats/skeleton/drawn.h): what was summed up of each at the training
 * sizes as functions of the size. Of each number it is found out whether it progresses with the
 * loop's iterations, its entries, or the executions of its path, moves with another, or is random;
 * ranges of random addresses that reach both ends of a heap block do so at every size.
 */
#ifndef FT_FIT_SKELETONS_DRAWN_LAWS_H
#define FT_FIT_SKELETONS_DRAWN_LAWS_H

#include "fit/skeletons/same_code.h"
#include "formats/skeleton/drawn.h"

/* The training sizes, ascending. */
struct ft_drawn_training {
    const struct ft_skeleton *const *skeletons;
    const struct ft_renamed_thread *renamed; /* [size]: by ids of the largest, which needs none */
    const double *sizes;
    size_t count;
};
/* ret_loops: [irregular loop of the largest], owned by the caller; loops that are not drawn have no
 * paths. */
int ft_drawn_loops_learn(const struct ft_drawn_training *training, struct ft_drawn_loop **ret_loops,
                         struct ft_diag *diag);
/* The loops at a size: parts, and iterations[0]. */
int ft_drawn_loops_at(const struct ft_drawn_loop *loops, size_t loop_count, double size,
                      struct ft_drawn_loop **ret_loops, struct ft_diag *diag);

#endif
