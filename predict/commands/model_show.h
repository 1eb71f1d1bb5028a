/*
 * The formulas of models as text, CSV or JSON (docs/json.md, "model show").
 */
#ifndef FT_PREDICT_COMMANDS_MODEL_SHOW_H
#define FT_PREDICT_COMMANDS_MODEL_SHOW_H

#include <stdio.h>

#include "predict/formulas/model_formulas.h"

struct ft_model_show {
    const struct ft_model *model;
    struct ft_model_formulas formulas;
};

int ft_model_show_text(const struct ft_model_show *shows, size_t count, FILE *stream,
                       struct ft_diag *diag);
int ft_model_show_csv(const struct ft_model_show *shows, size_t count, FILE *stream,
                      struct ft_diag *diag);
int ft_model_show_json(const struct ft_model_show *shows, size_t count, FILE *stream,
                       struct ft_diag *diag);

#endif
