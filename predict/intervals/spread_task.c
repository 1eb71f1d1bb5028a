#include "predict/intervals/spread_task.h"

#include <math.h>

double ft_spread_unit(enum ft_spread_kind kind, const double *row)
{
    return kind == FT_SPREAD_RATIO ? 1 / fmax(row[0], 1) : 1;
}

struct ft_spread_view ft_spread_view_of(const struct ft_spread_task *task)
{
    return (struct ft_spread_view){.model = task->model,
                                   .at = ft_point_at(&task->model->basis, &task->size->value)};
}
