/*
 * Sizes that a user asks a model about, as text: a number of bytes may be "64M" where the model
 * runs over the size of the data. Sizes up to FT_MODEL_SIZE_MAX can be asked about: integers
 * are exact there, and their powers are numbers. FT_ERROR_USAGE, with the text in the message,
 * where something else stands there.
 */
#ifndef FT_FORMATS_MODEL_MODEL_VALUES_H
#define FT_FORMATS_MODEL_MODEL_VALUES_H

#include "formats/model/model.h"

#define FT_MODEL_SIZE_MAX 1e15

/* A size, as it stands in text behind its name; in bytes it may be "64M". */
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
/* "N=64", into the parameter's place in the context: double[parameters]. */
ft_read_part ft_model_read_value;

#endif
