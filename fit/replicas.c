#include "fit/fit_work.h"

int ft_fit_add_replicas(struct ft_fit_work *work, struct ft_diag *diag)
{
    const struct ft_left_out_sets sets = ft_left_out_sets_of(&work->axis);
    if (sets.count == 0)
        return FT_OK;
    int status = ft_leave_out_axes_init(&work->without, &work->axis, &sets, diag);
    if (status == FT_OK && ft_fit_data_axis(work))
        status = ft_leave_out_axes_init(&work->data_without, &work->data_axis, &sets, diag);
    if (status == FT_OK)
        status = ft_model_add_replicas(work->model, sets.count, diag);
    for (size_t i = 0; i < work->model->replica_count; i++)
        work->model->replicas[i].left_out = sets.sizes[i];
    return status;
}
