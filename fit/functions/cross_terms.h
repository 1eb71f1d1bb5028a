/*
 * The terms and the sets of terms of functions of several parameters. Terms are products of one
 * factor per parameter; sets are what loops produce: the product of a set of each parameter (a nest
 * of loops over both), their sum (one loop after the other), and one that grows with a parameter in
 * addition to one that does not (start-up, then repetitions; shared work, then each thread's own).
 */
#ifndef FT_FIT_FUNCTIONS_CROSS_TERMS_H
#define FT_FIT_FUNCTIONS_CROSS_TERMS_H

#include <stdbool.h>

#include "fit/functions/term_set.h"

/* The default terms. distinct[parameter]: how many values each has: a few do not determine high
 * powers of it. */
struct ft_basis ft_cross_basis(const char *const *parameters, size_t count, const size_t *distinct);

/* Whether each parameter has more values than the set has factors of it, so that the values may
 * contradict the set; for a parameter with two values a line is trusted. */
bool ft_cross_has_spare(const struct ft_basis *basis, uint32_t mask, const size_t *distinct);

/* Calls visit with each set of the default terms, as a mask; some several times. */
typedef int ft_cross_set_fn(void *context, uint32_t mask);
int ft_cross_sets(const struct ft_basis *basis, ft_cross_set_fn *visit, void *context);

#endif
