#include "fit/model_terms.h"

#include <stdlib.h>
#include <string.h>

#include "fit/functions/alignment.h"
#include "fit/functions/cross_terms.h"
#include "fit/functions/doubling.h"
#include "fit/methods/patterns.h"
#include "fit/training_sizes.h"

/* Splits "N,M"; names that are more than can be are counted, not kept. */
static size_t split_names(char *text, const char *names[FT_PARAMETERS_MAX])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (count < FT_PARAMETERS_MAX)
            names[count] = name;
        count++;
    }
    return count;
}

int ft_choose_parameters(const struct ft_histograms *entries, size_t count,
                         const struct ft_fit_options *options,
                         struct ft_model_parameters *parameters, struct ft_diag *diag)
{
    const char *asked[FT_PARAMETERS_MAX];
    size_t asked_count = 0;
    const size_t sizes_min = options->method && options->method->sizes_min > 0
                                 ? options->method->sizes_min
                                 : FT_SIZES_MIN;
    *parameters = (struct ft_model_parameters){.names = {FT_DATA_SIZE}, .count = 1};
    if (options->over_data_size)
        return count < sizes_min ? ft_training_refuse_few(count, sizes_min, diag) : FT_OK;
    if (options->parameter) {
        parameters->asked = strdup(options->parameter);
        if (!parameters->asked)
            return ft_fail_memory(diag, "the parameters");
        asked_count = split_names(parameters->asked, asked);
    }
    return ft_training_parameters(entries, count, sizes_min, asked, asked_count, parameters->names,
                                  &parameters->count, diag);
}

int ft_default_terms(struct ft_basis *basis, const double *values, size_t count,
                     struct ft_diag *diag)
{
    const size_t width = basis->parameter_count;
    size_t distinct[FT_PARAMETERS_MAX];
    if (width == 1) {
        *basis = ft_basis_default(basis->parameters[0]);
        ft_alignment_extend(basis, values, count);
        ft_doubling_extend(basis, values, count);
        return FT_OK;
    }
    for (size_t i = 0; i < width; i++)
        distinct[i] = ft_axis_distinct(values, count, width, i);
    *basis = ft_cross_basis(basis->parameters, width, distinct);
    return ft_training_check_identifiable(values, count, basis->parameters, width, diag);
}

int ft_choose_basis(struct ft_model *model, const struct ft_model_parameters *parameters,
                    const double *values, size_t count, const struct ft_fit_options *options,
                    struct ft_diag *diag)
{
    const char *terms = options->basis, *names[FT_PARAMETERS_MAX] = {0};
    if (!terms && options->over_data_size)
        terms = FT_FOOTPRINT_TERMS;
    for (size_t i = 0; i < parameters->count; i++) {
        char *name = strdup(parameters->names[i]);
        if (!name)
            return ft_fail_memory(diag, "a model");
        *(i > 0 ? &model->further[i - 1] : &model->parameter) = name;
        names[i] = name;
    }
    model->basis = ft_basis_of(names, parameters->count);
    int status = terms ? ft_basis_add_list(&model->basis, terms, diag)
                       : ft_default_terms(&model->basis, values, count, diag);
    model->basis.shape = options->shape;
    return status;
}
