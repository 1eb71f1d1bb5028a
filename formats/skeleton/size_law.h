/*
 * A number of a skeleton as an exact function of the size N: a polynomial; multiples of
 * floor((N + offset) / period), the iterations of a loop that takes several elements at a time; and
 * of floor(log2(N)), those of a loop that doubles something until it is N, where all sizes are one
 * number times powers of two.
 */
#ifndef FT_FORMATS_SKELETON_SIZE_LAW_H
#define FT_FORMATS_SKELETON_SIZE_LAW_H

#include <stdbool.h>
#include <stdint.h>

#define FT_SIZED_COEFFICIENTS 4U /* of powers of the size, from 0 on */
#define FT_LAW_QUOTIENTS      2U
#define FT_QUOTIENT_FACTORS   3U
#define FT_LOGARITHM_FACTORS  2U

struct ft_law_quotient {
    uint16_t period; /* 0: none */
    int16_t offset;
    double factors[FT_QUOTIENT_FACTORS]; /* of it, of it times the size, of its square */
};

struct ft_size_law {
    double powers[FT_SIZED_COEFFICIENTS];
    struct ft_law_quotient quotients[FT_LAW_QUOTIENTS];
    double logarithms[FT_LOGARITHM_FACTORS]; /* of it, of it times the size */
};
static inline bool ft_law_has_logarithm(const struct ft_size_law *law)
{
    return law->logarithms[0] != 0 || law->logarithms[1] != 0;
}

#endif
