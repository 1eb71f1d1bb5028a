#include "fit/functions/term_set.h"

struct ft_term_set ft_term_set_of(uint32_t mask)
{
    struct ft_term_set set = {.mask = mask};
    for (uint8_t term = 0; term < FT_BASIS_MAX; term++)
        if (mask >> term & 1)
            set.terms[set.count++] = term;
    return set;
}

double ft_term_set_at(const struct ft_term_set *set, const double *coefficients,
                      const double terms[FT_BASIS_MAX])
{
    double value = 0;
    for (size_t j = 0; j < set->count; j++)
        value += coefficients[j] * terms[set->terms[j]];
    return value;
}
