/*
 * One set of terms over some of the sizes, within the shapes of shape.h: the plain fit where that
 * has a shape, else by the quadratic program, once a bend.
 *
 * A fitter is used by one thread at a time; many may share an axis.
 */
#ifndef FT_FIT_FUNCTIONS_SHAPED_FIT_H
#define FT_FIT_FUNCTIONS_SHAPED_FIT_H

#include "fit/functions/plain_fit.h"

struct ft_shaped_task {
    const struct ft_term_set *set;
    const double *y;   /* [axis count], >= 0 */
    size_t first, end; /* sizes */
    bool falling;
};

struct ft_shaped_fitter;
int ft_shaped_fitter_create(const struct ft_axis *axis, struct ft_shaped_fitter **ret_fitter,
                            struct ft_diag *diag);
void ft_shaped_fitter_destroy(struct ft_shaped_fitter *fitter);

/* False where it does not fit those sizes. Coefficients are of the scaled terms. */
bool ft_shaped_fit(struct ft_shaped_fitter *fitter, const struct ft_shaped_task *task,
                   double *ret_coefficients);
/* The same where it is known that the plain fit has no shape. */
bool ft_shaped_fit_constrained(struct ft_shaped_fitter *fitter, const struct ft_shaped_task *task,
                               double *ret_coefficients);
/* A bound below the square sum of the constrained fit, from the plain one of all sizes from
 * task->first on; left_out: without the last of them, else NULL. */
double ft_shaped_bound(const struct ft_axis *axis, const struct ft_shaped_task *task,
                       const struct ft_plain_fit *plain, const struct ft_left_out *left_out);

/* The relative error at a size, and the sum of its squares at those of a task. */
double ft_shaped_error(const struct ft_axis *axis, const struct ft_shaped_task *task,
                       const double *coefficients, size_t size);
double ft_shaped_square_sum(const struct ft_axis *axis, const struct ft_shaped_task *task,
                            const double *coefficients);

#endif
