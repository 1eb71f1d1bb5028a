/*
 * Whether the iterations of a loop double, or halve, something (nest.h, GEOMETRIC): trip counts and
 * strides inside of loops over h = 1, 2, 4, ... are a + c 2^(e i) in the iteration i, maybe with a
 * b i; addresses in grids that become coarser have a d 4^(e i).
 */
#ifndef FT_ENGINE_SKELETON_GEOMETRIC_H
#define FT_ENGINE_SKELETON_GEOMETRIC_H

#include "formats/skeleton/nest.h"

/* Iterations that tell: three increments determine two of b, c and d, and e out of a few. */
#define FT_GEOMETRIC_MIN 4U

/* iterations: the numbers of each. ret_rows: [FT_NEST_GEOMETRIC_ROWS * number_count]. False: they
 * are something else. */
bool ft_geometric_find(const uint64_t *const iterations[FT_GEOMETRIC_MIN], size_t number_count,
                       uint64_t *ret_rows);

#endif
