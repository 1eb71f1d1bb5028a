#include "predict/intervals/exact_parts.h"

#include <stdlib.h>

#include "predict/intervals/interval.h"
#include "predict/intervals/perturbed_model.h"

static int compute_part(const struct ft_spread_task *task, const struct ft_model *exact,
                        const struct ft_point *at, double *part, struct ft_diag *diag)
{
    const struct ft_spread_view view = {.model = exact, .at = *at};
    FT_TRY(task->compute(&view, task->context, part, diag));
    for (size_t i = 0; i < task->row_count * task->width; i++)
        if (task->kinds[i % task->width] != FT_SPREAD_COUNT)
            part[i] = 0;
    return FT_OK;
}

int ft_exact_parts(const struct ft_spread_task *task, const struct ft_point *points,
                   size_t point_count, double **ret_parts, struct ft_diag *diag)
{
    const size_t numbers = task->row_count * task->width;
    struct ft_perturbed_model exact;
    double *parts = calloc(point_count * numbers + 1, sizeof *parts);
    *ret_parts = parts;
    if (!parts)
        return ft_fail_memory(diag, "intervals");
    if (task->model->training_count < FT_CONFIRMED_FROM)
        return FT_OK;
    FT_TRY(ft_perturbed_exact_only(task->model, &exact, diag));
    int status = FT_OK;
    for (size_t i = 0; i < point_count && status == FT_OK; i++)
        status = compute_part(task, &exact.model, &points[i], parts + i * numbers, diag);
    ft_perturbed_fini(&exact);
    return status;
}
