/*
 * Sizes at which to evaluate a model, as text: for a model over the data size bytes may be "64M".
 * Sizes go up to FT_MODEL_SIZE_MAX: integers up to there are exact, and their powers finite.
 * Anything else fails with FT_ERROR_USAGE and a message with the text.
 */
#ifndef FT_FORMATS_MODEL_MODEL_VALUES_H
#define FT_FORMATS_MODEL_MODEL_VALUES_H

#include "formats/model/model.h"

#define FT_MODEL_SIZE_MAX 1e15

/* The size after "NAME=" in text; in_bytes: it may be "64M". */
int ft_model_read_size(const char *number, bool in_bytes, const char *text, double *ret_value,
                       struct ft_diag *diag);
/* A number alone. */
int ft_model_read_number(const struct ft_model *model, const char *text, double *ret_value,
                         struct ft_diag *diag);

/* Which of the model's parameters it is; their count where it is none. */
size_t ft_model_find_parameter(const struct ft_model *model, const char *name, size_t length);

/* Gives each part of "N=64,M=10" to `read`, until that fails. */
typedef int ft_read_part(const struct ft_model *model, const char *part, void *context,
                         struct ft_diag *diag);
int ft_model_read_parts(const struct ft_model *model, const char *text, ft_read_part *read,
                        void *context, struct ft_diag *diag);
/* "N=64": sets the value of the parameter in the context, double[parameters]. */
ft_read_part ft_model_read_value;

#endif
