/*
 * Fixes all parameters of a model but the first: the result is a model over the first alone, for
 * all that handles one parameter.
 */
#ifndef FT_FORMATS_MODEL_MODEL_RESTRICTION_H
#define FT_FORMATS_MODEL_MODEL_RESTRICTION_H

#include "formats/model/query_point.h"

/* values: of the model's parameters, the first of which is not used. Changes the model and its
 * replicas. */
int ft_model_restrict(struct ft_model *model, const double *values, struct ft_diag *diag);

/* The same with values as text, "M=10,T=4", for all parameters but the first; a model over one
 * parameter stays as it is. text NULL: no values were given. */
int ft_model_restrict_by_text(struct ft_model *model, const char *text, struct ft_diag *diag);

/* To evaluate a model at one point: fixes all parameters but the first there. FT_ERROR_USAGE:
 * "N=VALUE is needed too", or what ft_query_point_resolve says. */
int ft_model_restrict_to(struct ft_model *model, const struct ft_query_values *asked,
                         struct ft_query_point *ret_point, struct ft_diag *diag);

#endif
