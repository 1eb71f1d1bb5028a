/*
 * A model as a list of formulas: for the program accesses, instructions, footprints and the misses
 * of levels in ranges of the parameter (level_formulas.h); for the groups with most accesses their
 * touches and reuse distances; for the basic blocks with most instructions, and the edges out of
 * them, how often they are executed.
 */
#ifndef FT_PREDICT_FORMULAS_MODEL_FORMULAS_H
#define FT_PREDICT_FORMULAS_MODEL_FORMULAS_H

#include "machines/machine.h"
#include "predict/formulas/formula_list.h"

/* How many are listed. */
struct ft_formula_limits {
    size_t groups, blocks;
};
/* machine NULL: no misses. reach: how many times the largest training size levels are followed. */
int ft_model_formulas_init(struct ft_model_formulas *formulas, const struct ft_model *model,
                           const struct ft_machine *machine, double reach,
                           struct ft_formula_limits limits, struct ft_diag *diag);

#endif
