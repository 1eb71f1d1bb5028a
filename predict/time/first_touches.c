#include "predict/time/first_touches.h"

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
