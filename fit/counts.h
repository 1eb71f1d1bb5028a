/*
 * One number as a function of the size: executions, touches, cold misses, mean distances (Marin &
 * Mellor-Crummey 2004, section 2.3.1: constrained least squares with restrictions that stop
 * oscillations). Whole-number data on an exact polynomial is predicted exactly; else the terms are
 * chosen by AICc and by how well the largest size is predicted from the others.
 *
 * A fitter is used by one thread at a time; many fitters may share an axis.
 */
#ifndef FT_FIT_COUNTS_H
#define FT_FIT_COUNTS_H

#include <stdbool.h>

#include "fit/basis.h"

struct ft_fitter;
int ft_fitter_create(const struct ft_axis *axis, struct ft_fitter **ret_fitter,
                     struct ft_diag *diag);
void ft_fitter_destroy(struct ft_fitter *fitter);
const struct ft_axis *ft_fitter_axis(const struct ft_fitter *fitter);

/* Sets of terms as bit masks, 1 << enum ft_basis. */
#define FT_TERMS_ALL ((1U << FT_BASIS_COUNT) - 1)
/* The terms that a function is made of, and those that grow no faster than it. */
uint32_t ft_terms_of(const struct ft_axis *axis, const struct ft_function *function);
uint32_t ft_terms_within(const struct ft_axis *axis, const struct ft_function *bound);

/* Fits y[first..axis count), y >= 0, with some of the allowed terms; sizes before `first` are left
 * out. Never fails: where nothing better is possible the function is constant. */
void ft_fit_function(struct ft_fitter *fitter, const double *y, size_t first, uint32_t allowed,
                     struct ft_function *ret_function);

/* a + factor * b, term by term. */
struct ft_function ft_function_add(const struct ft_function *a, const struct ft_function *b,
                                   double factor);

#endif
