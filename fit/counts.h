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

/* What is known beforehand about a function. Sets of terms are bit masks, 1 << enum ft_basis. */
struct ft_expectation {
    uint32_t terms;        /* that may be used */
    uint32_t further;      /* that may be used where they fit much better */
    uint32_t faster;       /* the same, where besides no set of those above fits well */
    uint32_t scattered;    /* where the values scatter: of these, the slowest growth that fits */
    double rounding;       /* an error of so much is none */
    enum ft_basis leading; /* how it grows, unless the data contradicts: decides where the values
                              scatter; FT_BASIS_COUNT: nothing is known */
};
struct ft_expectation ft_expect_nothing(void);
/* A count that is a part of `whole`: grows like it as a rule, and seldom one order faster for a
 * while, where all sizes are small. */
struct ft_expectation ft_expect_part(const struct ft_axis *axis, const struct ft_function *whole);
/* A distance within a footprint. */
struct ft_expectation ft_expect_distance(const struct ft_axis *axis,
                                         const struct ft_function *footprint);
/* A distance that is made of the same terms as another one. */
struct ft_expectation ft_expect_alike(const struct ft_axis *axis, const struct ft_function *other);

/* Fits y[first..axis count), y >= 0; sizes before `first` are left out, and further ones while that
 * makes the others fit much better. Gives the first size that was used. Never fails: where nothing
 * better is possible the function is constant. */
size_t ft_fit_function(struct ft_fitter *fitter, const double *y, size_t first,
                       const struct ft_expectation *expectation, struct ft_function *ret_function);

/* a + factor * b, term by term. */
struct ft_function ft_function_add(const struct ft_function *a, const struct ft_function *b,
                                   double factor);

#endif
