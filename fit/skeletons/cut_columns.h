/*
 * The anchors at which the iterations of a loop can be cut (engine/skeleton/iteration_cut.h): what
 * all of them have in one order, but for the first and last ones of an entry, which often do less.
 */
#ifndef FT_FIT_SKELETONS_CUT_COLUMNS_H
#define FT_FIT_SKELETONS_CUT_COLUMNS_H

#include "engine/skeleton/iteration_cut.h"

#define FT_CUT_SHAPES_MAX 64U

/* Iterations of the same elements, what is in loops aside. */
struct ft_cut_shape {
    struct ft_cut_element *elements;
    size_t count;
    uint64_t iterations, inner; /* inner: without the first and last ones of each entry */
};

#define FT_CUT_ENDS 2U /* iterations at each end of an entry */

struct ft_cut_shapes {
    struct ft_cut_shape shapes[FT_CUT_SHAPES_MAX];
    size_t count;
    bool are_many; /* more than these, or long ones: no cut is found */
    struct ft_cut_elements elements;
    uint64_t iteration;       /* of the entry */
    size_t last[FT_CUT_ENDS]; /* shapes of the last iterations, which may be the entry's last */
};
void ft_cut_shapes_fini(struct ft_cut_shapes *shapes);
/* A watcher of loops (engine/skeleton/loop_cuts.h). */
int ft_cut_shapes_watch(void *shapes, const struct ft_nest *iteration, struct ft_diag *diag);

/* The anchors; all is kept. None where there is nothing in common. */
int ft_cut_shapes_anchors(struct ft_cut_shapes *shapes, struct ft_iteration_cut *ret_cut,
                          struct ft_diag *diag);
/* ret_columns: [ft_cut_columns()]: whether any iteration has elements there, and loops. */
struct ft_cut_column {
    bool is_there, has_loops;
};
int ft_cut_shapes_columns(struct ft_cut_shapes *shapes, const struct ft_iteration_cut *cut,
                          struct ft_cut_column **ret_columns, struct ft_diag *diag);

#endif
