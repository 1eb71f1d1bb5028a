#include "predict/formulas/formula_list.h"

#include <stdlib.h>

#include "formats/base/array.h"

int ft_model_formulas_append(struct ft_model_formulas *formulas,
                             const struct ft_model_formula *formula, struct ft_diag *diag)
{
    if (!FT_RESERVE(formulas->items, formulas->capacity, formulas->count + 1))
        return ft_fail_memory(diag, "formulas");
    formulas->items[formulas->count++] = *formula;
    return FT_OK;
}

void ft_model_formulas_fini(struct ft_model_formulas *formulas)
{
    free(formulas->items);
    *formulas = (struct ft_model_formulas){0};
}
