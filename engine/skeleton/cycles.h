/*
 * Terms of a folding as parts of a nest. Terms that repeat become a cycle (formats/skeleton/nest.h)
 * of their iterations, together with what of the cycle is left over before or behind them: its
 * shape then does not depend on with which of its parts a loop begins or ends. Where trip counts in
 * it fall the cycle ends with the loop, and numbers are counted from there: which iterations of a
 * triangular loop leave a remainder is known from its end; where they rise, from its start.
 *
 * A cycle of n single iterations and a repetition of fewer parts, some of them runs of iterations,
 * may be the same. Runs are taken apart, as loops over vectors ask for; but kept where they are the
 * rows of a grid whose points one loop goes through, as long as the grid (keeps_runs).
 */
#ifndef FT_ENGINE_SKELETON_CYCLES_H
#define FT_ENGINE_SKELETON_CYCLES_H

#include "engine/skeleton/fold_term.h"

/* Appends the terms in order. False: out of memory. */
bool ft_fold_write_terms(const struct ft_fold_term *terms, size_t count, bool keeps_runs,
                         struct ft_nest *into);

#endif
