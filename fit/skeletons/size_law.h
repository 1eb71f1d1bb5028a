/*
 * A number of a skeleton as a function of the size: an exact polynomial (fit/functions/exact.h)
 * that one size more than it takes confirms; and the values of laws (formats/skeleton/size_law.h),
 * which are searched elsewhere (law_search.h).
 */
#ifndef FT_FIT_SKELETONS_SIZE_LAW_H
#define FT_FIT_SKELETONS_SIZE_LAW_H

#include "formats/skeleton/sized_skeleton.h"

/* Through integers at ascending sizes; false: there is none. */
bool ft_size_law_find(const double *sizes, const double *values, size_t count,
                      double ret_coefficients[FT_SIZED_COEFFICIENTS]);
/* Of how values modulo 2^64 differ from the last of them. */
bool ft_size_law_find_change(const double *sizes, const uint64_t *values, size_t count,
                             double ret_coefficients[FT_SIZED_COEFFICIENTS]);
/* Beyond 2^62 it is that. */
int64_t ft_size_law_at(const double coefficients[FT_SIZED_COEFFICIENTS], double size);
int64_t ft_law_at(const struct ft_size_law *law, double size);
/* The nest at a size, the caller's, of that of the largest training size and what is added to its
 * numbers. */
int ft_sized_nest_at(const struct ft_nest *largest, const struct ft_sized_number *numbers,
                     size_t number_count, double size, struct ft_nest *ret_nest,
                     struct ft_diag *diag);
/* Whether it is an integer there before it is rounded. */
bool ft_law_is_whole(const struct ft_size_law *law, double size);
double ft_size_polynomial_at(const double coefficients[FT_SIZED_COEFFICIENTS], double size);
/* The largest number that sizes, integers, differ by multiples of. */
uint64_t ft_sizes_step(const double *sizes, size_t count);

#endif
