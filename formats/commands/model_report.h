/*
 * What `info` prints of a model: what it was fitted to, and its totals as formulas, "2 N^3 + 12.5
 * N^2 + 318", for the program and the routines that access memory most.
 */
#ifndef FT_FORMATS_COMMANDS_MODEL_REPORT_H
#define FT_FORMATS_COMMANDS_MODEL_REPORT_H

#include <stdio.h>

#include "formats/cli/json.h"
#include "formats/model/model.h"
#include "formats/model/query_point.h"

#define FT_FORMULA_TEXT 256 /* bytes that a formula fits in */

/* The terms of a function, the fastest growing first, each with four significant digits. */
char *ft_formula_text(char text[FT_FORMULA_TEXT], const struct ft_function *function,
                      const struct ft_basis *basis);

/* An object of coefficients by their terms; NULL without memory. */
json_t *ft_function_json(const struct ft_function *function, const struct ft_basis *basis);

int ft_models_print(const char *path, const struct ft_model_file *file, FILE *stream,
                    struct ft_diag *diag);
/* NULL without memory. */
json_t *ft_models_json(const struct ft_model_file *file);
/* How the data size depends on the parameters of the traces, if that is known: a line, and the key
 * `data_growth`. */
void ft_model_growth_print(const struct ft_model *model, FILE *stream);
json_t *ft_model_growth_json(json_t *into, const struct ft_model *model);
/* Adds the key `asked` unless a value of the model's own parameter was asked for. */
json_t *ft_query_point_json(json_t *into, const struct ft_model *model,
                            const struct ft_query_point *size);

#endif
