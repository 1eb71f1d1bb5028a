#include <stdlib.h>

#include "fit/fit_work.h"
#include "fit/scope_counts.h"
#include "fit/training_sizes.h"

#define REPLICAS_MOST 9U

/* The counts of scopes, without those of one entry. */
static double *leave_out_counts(const struct ft_fit_work *work, size_t left_out)
{
    size_t rows = work->entries[work->count - 1]->scopes.scope_count * FT_QUANTITY_COUNT;
    double *counts = malloc((rows * (work->count - 1) + 1) * sizeof *counts);
    double *to = counts;
    for (size_t i = 0; counts && i < rows; i++)
        for (size_t e = 0; e < work->count; e++)
            if (e != left_out)
                *to++ = work->scope_counts[i * work->count + e];
    return counts;
}

/* The same fit without one of the sizes. */
static int fit_replica(const struct ft_fit_work *work, struct ft_model *replica, int threads,
                       struct ft_diag *diag)
{
    const struct ft_histograms *entries[FT_TRAINING_MAX];
    uint32_t *members[FT_TRAINING_MAX];
    size_t *member_ends[FT_TRAINING_MAX];
    struct ft_fit_work fewer = *work;
    fewer.entries = entries;
    fewer.members = members;
    fewer.member_ends = member_ends;
    fewer.model = replica;
    fewer.like = work->model;
    fewer.held_out = (struct ft_held_out_axes){0};
    fewer.count = 0;
    for (size_t e = 0; e < work->count; e++) {
        if (e == replica->left_out)
            continue;
        entries[fewer.count] = work->entries[e];
        members[fewer.count] = work->members[e];
        member_ends[fewer.count++] = work->member_ends[e];
    }
    fewer.axis = fewer.data_axis = (struct ft_axis){0};
    fewer.scope_counts = leave_out_counts(work, replica->left_out);
    if (!fewer.scope_counts)
        return ft_fail_memory(diag, "the counts of scopes");
    int status = ft_axis_leave_out(&work->axis, replica->left_out, &fewer.axis, diag);
    if (status == FT_OK && ft_fit_data_axis(work))
        status = ft_axis_leave_out(&work->data_axis, replica->left_out, &fewer.data_axis, diag);
    if (status == FT_OK)
        status = ft_fit_functions(&fewer, threads, diag);
    ft_axis_fini(&fewer.axis);
    ft_axis_fini(&fewer.data_axis);
    free(fewer.scope_counts);
    return status;
}

int ft_fit_replicas(struct ft_fit_work *work, int threads, struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    if (work->count <= FT_SIZES_LEAST)
        return FT_OK;
    size_t count = work->count < REPLICAS_MOST ? work->count : REPLICAS_MOST;
    int status = ft_model_add_replicas(model, count, diag);
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        model->replicas[i].left_out = work->count - count + i;
        status = fit_replica(work, &model->replicas[i], threads, diag);
    }
    return status;
}
