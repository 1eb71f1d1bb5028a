/*
 * One number as a function of the size: executions, touches, cold misses, mean distances (Marin &
 * Mellor-Crummey 2004, section 2.3.1: least squares with constraints that stop oscillations).
 * Integer data on an exact polynomial is predicted exactly; otherwise the terms are chosen by AICc
 * and by how well the largest size is predicted from the others.
 *
 * A fitter is used by one thread at a time; many fitters may share an axis.
 */
#ifndef FT_FIT_FUNCTIONS_COUNTS_H
#define FT_FIT_FUNCTIONS_COUNTS_H

#include <stdbool.h>

#include "fit/functions/expectation.h"

struct ft_fitter;
int ft_fitter_create(const struct ft_axis *axis, struct ft_fitter **ret_fitter,
                     struct ft_diag *diag);
void ft_fitter_destroy(struct ft_fitter *fitter);
const struct ft_axis *ft_fitter_axis(const struct ft_fitter *fitter);

/* Fits y[first..axis count), y >= 0; sizes before `first` are left out, and further ones as long as
 * that makes the others fit much better. Returns the first size that was used. Never fails: where
 * nothing better is possible the function is constant. */
size_t ft_fit_function(struct ft_fitter *fitter, const double *y, size_t first,
                       const struct ft_expectation *expectation, struct ft_function *ret_function);

#endif
