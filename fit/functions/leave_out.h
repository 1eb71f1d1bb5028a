/*
 * A fitted function without each of some sizes in turn, with the same terms: what the jackknife
 * needs to know of sizes between the others where the terms are beyond doubt. (What the largest one
 * tells, a new fit without it has to show: which terms are right is told by how they go on.)
 *
 * In closed form from one orthogonalisation (fit/functions/plain_fit.h), or where that has no
 * shape, or the function itself was held to one, by one constrained solution.
 *
 * Axes are immutable after init and may be shared by threads; a leave-out on them is of one.
 */
#ifndef FT_FIT_LEAVE_OUT_H
#define FT_FIT_LEAVE_OUT_H

#include "fit/functions/axis.h"

#define FT_LEAVE_OUT_MAX 8U /* sizes */

/* An axis, and the same without each of its sizes from `first` on: so many, and last the largest.
 */
struct ft_leave_out_axes {
    const struct ft_axis *all; /* not owned */
    size_t first, count;
    struct ft_axis without[FT_LEAVE_OUT_MAX + 1];
};
/* FT_LEAVE_OUT_MAX sizes below the largest, or as many as there are. */
int ft_leave_out_axes_init(struct ft_leave_out_axes *axes, const struct ft_axis *axis,
                           struct ft_diag *diag);
void ft_leave_out_axes_fini(struct ft_leave_out_axes *axes);

struct ft_leave_out;
int ft_leave_out_create(const struct ft_leave_out_axes *axes, struct ft_leave_out **ret_leave_out,
                        struct ft_diag *diag);
void ft_leave_out_destroy(struct ft_leave_out *leave_out);

/* How many sizes below the largest are left out in turn, and which the i-th is; NULL: none. */
size_t ft_leave_out_count(const struct ft_leave_out *leave_out);
size_t ft_leave_out_size(const struct ft_leave_out *leave_out, size_t i);

/* A function that was fitted to y[axis count] from its first size on (ft_fit_function): ret[count],
 * without each of the sizes. It stays as it is without sizes that it left out, and where it is
 * exact. */
void ft_leave_out_each(struct ft_leave_out *leave_out, const double *y,
                       const struct ft_function *function, struct ft_function *ret);

#endif
