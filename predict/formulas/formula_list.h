/*
 * A list of formulas: fitted functions, each with what it counts and how far off it is.
 */
#ifndef FT_PREDICT_FORMULAS_FORMULA_LIST_H
#define FT_PREDICT_FORMULAS_FORMULA_LIST_H

#include "formats/model/model.h"

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

int ft_model_formulas_append(struct ft_model_formulas *formulas,
                             const struct ft_model_formula *formula, struct ft_diag *diag);
void ft_model_formulas_fini(struct ft_model_formulas *formulas);

#endif
