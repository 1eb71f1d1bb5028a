/* Whether two functions are the same to the bit, with all that they tell of their fit. */
#ifndef FT_TESTS_SUPPORT_SAME_FUNCTIONS_H
#define FT_TESTS_SUPPORT_SAME_FUNCTIONS_H

#include "formats/model/basis.h"

static inline bool same_functions(const struct ft_function *a, const struct ft_function *b)
{
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        if (a->coefficients[term] != b->coefficients[term])
            return false;
    return a->rms_relative_error == b->rms_relative_error && a->left_out == b->left_out &&
           a->exact == b->exact;
}

#endif
