/*
 * A number of a skeleton as an exact function of the size N: a polynomial; multiples of
 * floor((N + offset) / period), the iterations of a loop that takes several elements at a time; and
 * of floor(log2(N)), those of a loop that doubles something until it is N, where all sizes are one
 * number times powers of two; there also what differs where floor(log2(N)) is odd, as where passes
 * go to and fro between two arrays, and what is more from a size on, such as the level that smaller
 * ones do not have.
 */
#ifndef FT_FORMATS_SKELETON_SIZE_LAW_H
#define FT_FORMATS_SKELETON_SIZE_LAW_H

#include <stdbool.h>
#include <stdint.h>

#define FT_SIZED_COEFFICIENTS 4U /* of powers of the size, from 0 on */
#define FT_LAW_QUOTIENTS      2U
#define FT_QUOTIENT_FACTORS   3U
#define FT_LOGARITHM_FACTORS  2U
#define FT_LAW_STEPS          2U

struct ft_law_quotient {
    uint16_t period; /* 0: none */
    int16_t offset;
    double factors[FT_QUOTIENT_FACTORS]; /* of it, of it times the size, of its square */
};

/* What is more from a size on. */
struct ft_law_step {
    double from, more; /* more is 0: none */
};

struct ft_size_law {
    double powers[FT_SIZED_COEFFICIENTS];
    struct ft_law_quotient quotients[FT_LAW_QUOTIENTS];
    double logarithms[FT_LOGARITHM_FACTORS];     /* of it, of it times the size */
    double odd_logarithms[FT_LOGARITHM_FACTORS]; /* of whether it is odd, of that times the size */
    struct ft_law_step steps[FT_LAW_STEPS];
};
static inline bool ft_law_has_logarithm(const struct ft_size_law *law)
{
    return law->logarithms[0] != 0 || law->logarithms[1] != 0;
}
/* What the versions of files before had none of. */
static inline bool ft_law_is_by_level(const struct ft_size_law *law)
{
    return law->odd_logarithms[0] != 0 || law->odd_logarithms[1] != 0 || law->steps[0].more != 0 ||
           law->steps[1].more != 0;
}
/* Whether it holds at sizes that double alone. */
static inline bool ft_law_is_of_doubling(const struct ft_size_law *law)
{
    return ft_law_has_logarithm(law) || ft_law_is_by_level(law);
}

#endif
