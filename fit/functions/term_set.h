/*
 * A set of terms of a basis: what one fitted function may be a combination of.
 */
#ifndef FT_FIT_FUNCTIONS_TERM_SET_H
#define FT_FIT_FUNCTIONS_TERM_SET_H

#include "formats/model/basis.h"

#define FT_TERMS_MAX 16U /* of one function; of one parameter no set has more than 4 */

/* Some terms of the basis, by growth. */
struct ft_term_set {
    uint32_t mask; /* the same: 1 << term */
    uint8_t count;
    uint8_t terms[FT_TERMS_MAX];
};

struct ft_term_set ft_term_set_of(uint32_t mask);
/* A combination of a set's terms, all terms being given. */
double ft_term_set_at(const struct ft_term_set *set, const double *coefficients,
                      const double terms[FT_BASIS_MAX]);

#endif
