/*
 * What the functions of a model are made of: its parameters and the terms.
 */
#ifndef FT_FIT_MODEL_TERMS_H
#define FT_FIT_MODEL_TERMS_H

#include "fit/fit_options.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

/* The model's parameters. */
struct ft_model_parameters {
    char *asked; /* the names asked for; owns them */
    const char *names[FT_PARAMETERS_MAX];
    size_t count;
};
/* Those asked for, else all that vary over the entries. Free ret_parameters->asked, also after an
 * error. */
int ft_choose_parameters(const struct ft_histograms *entries, size_t count,
                         const struct ft_fit_options *options,
                         struct ft_model_parameters *ret_parameters, struct ft_diag *diag);

/* The default terms of a basis that has its parameters; FT_ERROR_USAGE where the training sizes
 * cannot tell several parameters apart. */
int ft_default_terms(struct ft_basis *basis, const double *values, size_t count,
                     struct ft_diag *diag);

/* Names the model's parameters and chooses the terms of its functions: those of the options, else
 * the default ones, as far as the training sizes can tell them apart. values: [count][parameters].
 */
int ft_choose_basis(struct ft_model *model, const struct ft_model_parameters *parameters,
                    const double *values, size_t count, const struct ft_fit_options *options,
                    struct ft_diag *diag);

#endif
