/*
 * Which terms a function has: of the axis's sets the one with the lowest
 *
 *   AICc + count * ln(held-out error^2)
 *
 * where the held-out error is that at the largest size when the set is fitted to the others. Each
 * set is fitted by least squares of relative errors, within the shapes of shape.h. A held-out error
 * below the residuals of its own fit is luck, and counts as those; errors below a floor count as
 * the floor. Of equals the set with fewest terms wins.
 *
 * A selector is used by one thread at a time; many may share an axis.
 */
#ifndef FT_FIT_FUNCTIONS_TERM_SELECTION_H
#define FT_FIT_FUNCTIONS_TERM_SELECTION_H

#include <stdbool.h>

#include "fit/functions/shaped_fit.h"

struct ft_term_selector;
int ft_term_selector_create(const struct ft_axis *axis, struct ft_term_selector **ret_selector,
                            struct ft_diag *diag);
void ft_term_selector_destroy(struct ft_term_selector *selector);

struct ft_term_choice {
    const double *y;          /* [axis count], >= 0 */
    size_t first;             /* sizes before are left out */
    uint32_t allowed, needed; /* terms */
    double rounding;          /* absolute error of a value that is no error */
};
/* The best set whose score is below *best, which it then has: coefficients of the terms themselves,
 * all others 0; everything else of *function is left as it was. */
void ft_select_terms(struct ft_term_selector *selector, const struct ft_term_choice *choice,
                     double *best, struct ft_function *function);
/* A bound below the relative errors (root of mean square) of all sets of a choice. */
double ft_min_term_error(struct ft_term_selector *selector, const struct ft_term_choice *choice);

#endif
