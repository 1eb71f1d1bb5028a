/*
 * Misses of a fully associative cache as readable formulas. Which bins of a model are beyond a
 * capacity changes with the parameter, so there is one formula for each range of it between the
 * sizes at which working sets stop fitting; terms that hardly matter there are left out. Where
 * formulas hold only for short ranges, working sets are just about to stop fitting: a transition,
 * given by the values at its ends.
 *
 * For models over one parameter.
 */
#ifndef FT_PREDICT_FORMULAS_LEVEL_FORMULAS_H
#define FT_PREDICT_FORMULAS_LEVEL_FORMULAS_H

#include "formats/model/model.h"

#define FT_FORMULA_ERROR 0.01 /* relative: how far a formula may be from what predict says */

struct ft_formula_range {
    double from, to;               /* values of the parameter */
    double misses_from, misses_to; /* there, as predict says */
    bool transition;               /* there is no formula */
    struct ft_function misses;
    double error; /* relative: the largest in the range, at most FT_FORMULA_ERROR */
};

/* Ranges from the smallest training size to `reach` times the largest. malloc'ed. */
int ft_level_formulas(const struct ft_model *model, size_t block_size, double capacity_blocks,
                      double reach, struct ft_formula_range **ret_ranges, size_t *ret_count,
                      struct ft_diag *diag);

#endif
