/*
 * A model over several parameters at values of all but the first: a model over the first alone,
 * which all that is made for one parameter can take.
 */
#ifndef FT_FORMATS_MODEL_MODEL_RESTRICTION_H
#define FT_FORMATS_MODEL_MODEL_RESTRICTION_H

#include "formats/model/model.h"

/* values: of the model's parameters, the first of which is not used. Changes the model and its
 * replicas. */
int ft_model_restrict(struct ft_model *model, const double *values, struct ft_diag *diag);

/* The same with values as a user gives them, "M=10,T=4": all parameters but the first must be
 * there; nothing is done to a model over one parameter. text NULL: none was given. */
int ft_model_restrict_by_text(struct ft_model *model, const char *text, struct ft_diag *diag);

#endif
