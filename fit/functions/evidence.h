/*
 * How strongly the sizes to spare support a law with quotients (formats/model/basis.h), in bits:
 * counts that follow no such law agree with one by chance once in 2 to the power of these. Pure and
 * thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_EVIDENCE_H
#define FT_FIT_FUNCTIONS_EVIDENCE_H

#include "fit/functions/plain_fit.h"

/* function: of the set's terms, through y[weighted->first..axis count). weighted: of y, with all
 * whole powers. A step of two values tells a bit a size, but for two that its place and its height
 * take; what the law has fewer terms than these says as much as other sizes. */
double ft_evidence_bits(const struct ft_axis *axis, const struct ft_weighted_values *weighted,
                        const struct ft_term_set *set, const double *y,
                        const struct ft_function *function);

#endif
