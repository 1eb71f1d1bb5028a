/*
 * All functions of a model as one table, in the order of files.
 */
#ifndef FT_FORMATS_MODEL_MODEL_FUNCTIONS_H
#define FT_FORMATS_MODEL_MODEL_FUNCTIONS_H

#include "formats/model/model.h"

/* Those of a model alone, without its replicas: histograms must have their members and bins. */
size_t ft_model_count_functions(const struct ft_model *model);
void ft_model_get_functions(const struct ft_model *model, struct ft_function *ret_functions);
int ft_model_set_functions(struct ft_model *model, const struct ft_function *functions,
                           struct ft_diag *diag);

/* Changes all functions of the model's own terms: not the distances of members over the data. */
typedef void ft_model_function_fn(void *context, struct ft_function *function);
int ft_model_change_functions(struct ft_model *model, ft_model_function_fn *change, void *context,
                              struct ft_diag *diag);

#endif
