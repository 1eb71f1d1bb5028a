/*
 * Whether the iterations of a loop double, or halve, something: each of their numbers is a + b i +
 * c 2^(e i) in the iteration i, as trip counts and strides are inside of loops over h = 1, 2, 4,
 * ... (nest.h, GEOMETRIC).
 */
#ifndef FT_ENGINE_SKELETON_GEOMETRIC_H
#define FT_ENGINE_SKELETON_GEOMETRIC_H

#include "formats/skeleton/nest.h"

/* Iterations that tell: three determine a, b and c, and one more e, out of a few. */
#define FT_GEOMETRIC_MIN 4U

/* iterations: the numbers of each. ret_rows: [FT_NEST_GEOMETRIC_ROWS * number_count]. False: they
 * are something else; all e but 0 are of one size. */
bool ft_geometric_find(const uint64_t *const iterations[FT_GEOMETRIC_MIN], size_t number_count,
                       uint64_t *ret_rows);

#endif
