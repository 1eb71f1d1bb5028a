/*
 * A fitted function without some of the sizes, and others in turn, with the same terms: what the
 * jackknife needs to know of sizes between the others where the terms are beyond doubt. (What the
 * largest size contributes is shown by a new fit without it: extrapolation is what tells right
 * terms from wrong ones.)
 *
 * In closed form from one orthogonalisation (fit/functions/plain_fit.h); or by one constrained
 * solution, where that has no shape or the function itself was constrained. For several parameters
 * by one solution per value, since all sizes with it are left out at once.
 *
 * A leave-out is used by one thread.
 */
#ifndef FT_FIT_FUNCTIONS_LEAVE_OUT_H
#define FT_FIT_FUNCTIONS_LEAVE_OUT_H

#include "fit/functions/leave_out_axes.h"

struct ft_leave_out;
int ft_leave_out_create(const struct ft_leave_out_axes *axes, struct ft_leave_out **ret_leave_out,
                        struct ft_diag *diag);
void ft_leave_out_destroy(struct ft_leave_out *leave_out);

/* How many sets of sizes are left out in turn, without the last, and the i-th: bit k is size k.
 * NULL: none. */
size_t ft_leave_out_count(const struct ft_leave_out *leave_out);
uint64_t ft_leave_out_sizes(const struct ft_leave_out *leave_out, size_t i);

/* A function that was fitted to y[axis count] from its first size on (ft_fit_function): ret[count],
 * without each of the sizes. It stays the same without sizes that it had left out, and if it is
 * exact. */
void ft_leave_out_each(struct ft_leave_out *leave_out, const double *y,
                       const struct ft_function *function, struct ft_function *ret);

#endif
