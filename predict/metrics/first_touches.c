#include "predict/metrics/first_touches.h"

#include <math.h>

#include "fit/evaluate/evaluate.h"

void ft_first_touches_find(const struct ft_model *model, size_t size, const struct ft_point *at,
                           double *ret_touches)
{
    for (size_t i = 0; i < model->scopes.scope_count; i++)
        ret_touches[i] = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_model_group *group = &model->groups[i];
        ret_touches[group->scope] += fmax(ft_function_at(&group->histograms[size].cold, at), 0);
    }
}

static double sum_of(const double *counts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

void ft_first_touches_scale(const double *least, size_t scope_count, double program,
                            double *touches)
{
    const double first = sum_of(least, scope_count), grown = sum_of(touches, scope_count) - first;
    if (!(grown > 0) || program < first)
        return;
    for (size_t i = 0; i < scope_count; i++)
        touches[i] = fmax(least[i] + (touches[i] - least[i]) * (program - first) / grown, 0);
}
