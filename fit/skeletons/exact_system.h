/*
 * Linear equations of which there are more than unknowns, and which all must hold: coefficients of
 * laws through integers. Solved by elimination in long doubles, so that small fractions come out
 * nearly exact.
 */
#ifndef FT_FIT_SKELETONS_EXACT_SYSTEM_H
#define FT_FIT_SKELETONS_EXACT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/skeleton/sized_skeleton.h"

#define FT_UNKNOWNS_MAX 8U

struct ft_exact_system {
    long double rows[FT_SIZED_SIZES_MAX][FT_UNKNOWNS_MAX + 1]; /* the value last */
    long double scales[FT_UNKNOWNS_MAX];                       /* columns were divided by these */
    size_t row_count, unknowns;
    size_t pivot_rows; /* only the first so many determine unknowns; others confirm */
};
/* False: they contradict each other, or the unknowns are not determined. Changes the rows. */
bool ft_exact_system_solve(struct ft_exact_system *system,
                           long double ret_unknowns[FT_UNKNOWNS_MAX]);

/* The first convergent of a continued fraction that is as good as the value, or the value itself.
 */
double ft_nearby_fraction(long double value);

#endif
