#include "fit/evaluate/stride_law.h"

#include <math.h>

#include "fit/functions/axis.h"
#include "fit/functions/exact.h"

static bool follow_polynomial(const struct ft_model *model, const int64_t *strides,
                              const struct ft_point *at, double *ret_bytes)
{
    double bytes[FT_TRAINING_MAX], coefficients[FT_EXACT_DEGREE_MAX + 1], sum = 0;
    size_t spare = 0;
    if (model->basis.parameter_count != 1 || model->training_count > FT_TRAINING_MAX)
        return false;
    for (size_t e = 0; e < model->training_count; e++)
        bytes[e] = (double)strides[e];
    if (!ft_exact_polynomial(model->training, bytes, model->training_count, coefficients, &spare) ||
        spare == 0)
        return false;
    for (size_t power = FT_EXACT_DEGREE_MAX + 1; power-- > 0;)
        sum = sum * at->parameters[0] + coefficients[power];
    *ret_bytes = fabs(sum);
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
    law.is_known = is_constant || follow_polynomial(model, strides, at, &law.bytes);
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
    for (size_t i = 0; i < model->counts_count; i++) {
        const struct ft_model_scope_counts *counts = &model->counts[i];
        if (counts->scope != scope)
            continue;
        const double entries = ft_function_at(&counts->entries, at);
        return entries > 0 ? fmax(ft_function_at(&counts->iterations, at) / entries, 1) : NAN;
    }
    return NAN;
}
