#include "fit/evaluate/stride_law.h"

#include <math.h>

#include "fit/functions/axis.h"
#include "fit/functions/exact.h"

bool ft_follow_polynomial(const struct ft_model *model, const int64_t *values,
                          const struct ft_point *at, double *ret_value)
{
    double measured[FT_TRAINING_MAX], coefficients[FT_EXACT_DEGREE_MAX + 1], sum = 0;
    size_t spare = 0;
    if (model->basis.parameter_count != 1 || model->training_count > FT_TRAINING_MAX)
        return false;
    for (size_t e = 0; e < model->training_count; e++)
        measured[e] = (double)values[e];
    if (!ft_exact_polynomial(model->training, measured, model->training_count, coefficients,
                             &spare) ||
        spare == 0)
        return false;
    for (size_t power = FT_EXACT_DEGREE_MAX + 1; power-- > 0;)
        sum = sum * at->parameters[0] + coefficients[power];
    *ret_value = sum;
    return true;
}

struct ft_stride_law ft_stride_law_of(const struct ft_model *model, size_t group, size_t loop,
                                      const struct ft_point *at)
{
    struct ft_stride_law law = {.smallest = INFINITY};
    const int64_t *strides =
        loop < FT_STRIDE_LOOPS_MAX && model->strides.training_count == model->training_count
            ? ft_group_stride(&model->strides, group, loop)
            : NULL;
    bool is_constant = true;
    if (!strides)
        return law;
    for (size_t e = 0; e < model->training_count; e++) {
        if (strides[e] == FT_STRIDE_NONE)
            return law;
        law.is_loop = true;
        if (strides[e] == FT_STRIDE_MIXED)
            return law;
        is_constant = is_constant && strides[e] == strides[0];
        law.smallest = fmin(law.smallest, fabs((double)strides[e]));
        law.largest = fmax(law.largest, fabs((double)strides[e]));
    }
    law.bytes = law.largest;
    law.is_known = is_constant || ft_follow_polynomial(model, strides, at, &law.bytes);
    law.bytes = fabs(law.bytes);
    return law;
}

double ft_stride_trip_count(const struct ft_model *model, size_t group, size_t loop,
                            const struct ft_point *at)
{
    uint32_t scope = model->groups[group].scope;
    for (size_t i = 0; i < loop && model->scopes.scopes[scope].kind == FT_SCOPE_LOOP; i++)
        scope = model->scopes.scopes[scope].parent;
    if (model->scopes.scopes[scope].kind != FT_SCOPE_LOOP)
        return NAN;
    const struct ft_model_scope_counts *counts = ft_model_counts_of(model, scope);
    const double entries = counts ? ft_function_at(&counts->entries, at) : 0;
    return entries > 0 ? fmax(ft_function_at(&counts->iterations, at) / entries, 1) : NAN;
}
