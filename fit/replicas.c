#include "fit/fit_work.h"

#define REPLICAS_FROM 4U /* training sizes, of which one is left out */

int ft_fit_add_replicas(struct ft_fit_work *work, struct ft_diag *diag)
{
    if (work->count < REPLICAS_FROM)
        return FT_OK;
    int status = ft_leave_out_axes_init(&work->without, &work->axis, diag);
    if (status == FT_OK && ft_fit_data_axis(work))
        status = ft_leave_out_axes_init(&work->data_without, &work->data_axis, diag);
    if (status == FT_OK)
        status = ft_model_add_replicas(work->model, work->without.count + 1, diag);
    for (size_t i = 0; i < work->model->replica_count; i++)
        work->model->replicas[i].left_out = work->without.first + i;
    return status;
}
