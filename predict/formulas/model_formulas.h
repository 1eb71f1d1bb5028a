/*
 * What a model says, as a list of formulas: of the program its accesses, instructions, footprints
 * and the misses of levels in ranges of the parameter (level_formulas.h); of its groups with most
 * accesses how often they touch blocks, and how often from how far; of its basic blocks with most
 * instructions how often they are executed, and the edges out of them.
 */
#ifndef FT_PREDICT_FORMULAS_MODEL_FORMULAS_H
#define FT_PREDICT_FORMULAS_MODEL_FORMULAS_H

#include "formats/model/model.h"
#include "machines/machine.h"

/* What the formulas of bins begin with: distances in blocks, and the touches from there on. */
#define FT_FORMULA_DISTANCE "distance"
#define FT_FORMULA_TAIL     "touches from distance"
#define FT_FORMULA_SUBJECT  192 /* bytes that what a formula is of fits in */

struct ft_model_formula {
    size_t group; /* FT_NO_GROUP_SHOWN: of the program */
    char what[FT_FORMULA_SUBJECT];
    uint64_t block_bytes; /* 0: it is not of blocks */
    double from, to;      /* 0: everywhere */
    bool transition;      /* of a range: no formula, the values at its ends instead */
    double value_from, value_to;
    struct ft_function function;
    const struct ft_basis *basis; /* of the model: the function's terms */
    double error; /* relative: at the training sizes, or for a range against predict */
    const struct ft_block *block;     /* whose executions it is of; NULL: of something else */
    const struct ft_block_edge *edge; /* out of that block; NULL: of the block itself */
    double ahead; /* relative: of the largest training size, forecast from the others; NAN: unknown,
                     and of groups */
};
#define FT_NO_GROUP_SHOWN SIZE_MAX

struct ft_model_formulas {
    struct ft_model_formula *items;
    size_t count, capacity;
};

/* How many are listed. */
struct ft_formula_limits {
    size_t groups, blocks;
};
/* machine NULL: no misses. reach: how many times the largest training size levels are followed. */
int ft_model_formulas_init(struct ft_model_formulas *formulas, const struct ft_model *model,
                           const struct ft_machine *machine, double reach,
                           struct ft_formula_limits limits, struct ft_diag *diag);
int ft_model_formulas_append(struct ft_model_formulas *formulas,
                             const struct ft_model_formula *formula, struct ft_diag *diag);
void ft_model_formulas_fini(struct ft_model_formulas *formulas);

#endif
