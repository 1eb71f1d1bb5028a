/*
 * One number as a function of several parameters: the counterpart of counts.h. Sets of terms are
 * chosen in the same way, by AICc and by how well the largest values of each parameter are
 * predicted from the smaller ones; along each parameter a function is monotonic, and convex or
 * concave.
 *
 * A fitter is used by one thread at a time; many may share an axis.
 */
#ifndef FT_FIT_FUNCTIONS_CROSS_FIT_H
#define FT_FIT_FUNCTIONS_CROSS_FIT_H

#include "fit/functions/expectation.h"

struct ft_cross_fitter;
int ft_cross_fitter_create(const struct ft_axis *axis, struct ft_cross_fitter **ret_fitter,
                           struct ft_diag *diag);
void ft_cross_fitter_destroy(struct ft_cross_fitter *fitter);

/* Fits y[first..axis count), y >= 0, as ft_fit_function does, but leaves out no further sizes. */
void ft_cross_fit(struct ft_cross_fitter *fitter, const double *y, size_t first,
                  const struct ft_expectation *expectation, struct ft_function *ret_function);

#endif
