#include "formats/model/model_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

int ft_model_read_size(const char *number, bool in_bytes, const char *text, double *ret_value,
                       struct ft_diag *diag)
{
    uint64_t bytes = 0;
    double value;
    if (in_bytes && ft_parse_bytes(number, &bytes, NULL) == FT_OK && bytes > 0)
        value = (double)bytes;
    else if (!ft_parse_double(number, &value) || value <= 0)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: a number above 0 is needed%s", text,
                       in_bytes ? ", or a size such as 64K, 4M or 2G" : "");
    if (value > FT_MODEL_SIZE_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: sizes up to %g can be asked about", text,
                       FT_MODEL_SIZE_MAX);
    *ret_value = value;
    return FT_OK;
}

int ft_model_read_number(const struct ft_model *model, const char *text, double *ret_value,
                         struct ft_diag *diag)
{
    return ft_model_read_size(text, model->over_data_size, text, ret_value, diag);
}

static int refuse_name(const struct ft_model *model, const char *text, struct ft_diag *diag)
{
    const struct ft_basis *basis = &model->basis;
    if (basis->parameter_count == 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: the parameter of the model %s is %s, so %s=VALUE is needed", text,
                       model->name, basis->parameters[0], basis->parameters[0]);
    return ft_fail(
        diag, FT_ERROR_USAGE,
        "%s: the parameters of the model %s are %s, %s%s%s, so %s=VALUE,%s=VALUE%s is needed", text,
        model->name, basis->parameters[0], basis->parameters[1],
        basis->parameter_count > 2 ? ", " : "",
        basis->parameter_count > 2 ? basis->parameters[2] : "", basis->parameters[0],
        basis->parameters[1], basis->parameter_count > 2 ? "..." : "");
}

size_t ft_model_find_parameter(const struct ft_model *model, const char *name, size_t length)
{
    const struct ft_basis *basis = &model->basis;
    size_t parameter = 0;
    while (parameter < basis->parameter_count &&
           (strlen(basis->parameters[parameter]) != length ||
            memcmp(basis->parameters[parameter], name, length) != 0))
        parameter++;
    return parameter;
}

int ft_model_read_value(const struct ft_model *model, const char *text, void *context,
                        struct ft_diag *diag)
{
    double *values = context;
    size_t length;
    const char *number = ft_split_assignment(text, &length);
    const size_t parameter =
        number ? ft_model_find_parameter(model, text, length) : model->basis.parameter_count;
    if (parameter == model->basis.parameter_count)
        return refuse_name(model, text, diag);
    return ft_model_read_size(number, model->over_data_size, text, &values[parameter], diag);
}

int ft_model_read_parts(const struct ft_model *model, const char *text, ft_read_part *read,
                        void *context, struct ft_diag *diag)
{
    int status = FT_OK;
    do {
        const size_t length = strcspn(text, ",");
        char *part = strndup(text, length);
        status = part ? read(model, part, context, diag) : ft_fail_memory(diag, text);
        free(part);
        text += length + (text[length] == ',');
    } while (status == FT_OK && *text);
    return status;
}
