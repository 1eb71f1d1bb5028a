/*
 * What is known about a function before it is fitted: which terms it may have, and how it grows.
 */
#ifndef FT_FIT_FUNCTIONS_EXPECTATION_H
#define FT_FIT_FUNCTIONS_EXPECTATION_H

#include "fit/functions/axis.h"

#define FT_NO_TERM FT_BASIS_MAX

/* Sets of terms are bit masks, 1 << the term's place in the basis. */
struct ft_expectation {
    uint32_t terms;     /* that may be used */
    uint32_t further;   /* that may be used where they fit much better */
    uint32_t faster;    /* the same, where besides no set of those above fits well */
    uint32_t scattered; /* where the values scatter: of these, the slowest growth that fits */
    double rounding;    /* an error of so much is none */
    size_t leading;     /* the term it grows like, unless the data contradicts: decides where
                           the values scatter; FT_NO_TERM: nothing is known */
};
struct ft_expectation ft_expect_nothing(const struct ft_axis *axis);
/* A count that is a part of `whole`: it normally grows like it, and sometimes one order faster for
 * a while, where all sizes are small. */
struct ft_expectation ft_expect_part(const struct ft_axis *axis, const struct ft_function *whole);
/* A distance within a footprint. */
struct ft_expectation ft_expect_distance(const struct ft_axis *axis,
                                         const struct ft_function *footprint);
/* A distance with the same terms as another one. */
struct ft_expectation ft_expect_alike(const struct ft_axis *axis, const struct ft_function *other);

#endif
