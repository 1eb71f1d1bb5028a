/*
 * The basic blocks of a model that execute most instructions, and the edges out of them, as
 * formulas of how often they are executed (formats/model/executions.h).
 */
#ifndef FT_PREDICT_FORMULAS_BLOCK_FORMULAS_H
#define FT_PREDICT_FORMULAS_BLOCK_FORMULAS_H

#include "predict/formulas/formula_list.h"

#define FT_BLOCK_ADDRESS_TEXT 80

/* "matmul+0x11a0", a longer name cut off; code that is of no module has its address alone. */
void ft_block_address_text(char text[FT_BLOCK_ADDRESS_TEXT], const struct ft_scopes *scopes,
                           const struct ft_block *block);

/* Adds `limit` blocks, each with its edges behind it; none where nothing is known of blocks. */
int ft_block_formulas_add(struct ft_model_formulas *formulas, const struct ft_model *model,
                          size_t limit, struct ft_diag *diag);

#endif
