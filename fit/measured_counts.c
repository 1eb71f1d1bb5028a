#include "fit/measured_counts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/model/model_set_distances.h"

static int fill_measured(const struct ft_fit_work *work, struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    model->training_accesses =
        calloc(model->group_count * work->count + 1, sizeof *model->training_accesses);
    model->training_blocks =
        calloc(model->size_count * work->count + 1, sizeof *model->training_blocks);
    if (work->remapped_pages)
        model->training_remapped = calloc(work->count + 1, sizeof *model->training_remapped);
    if (!model->training_accesses || !model->training_blocks ||
        (work->remapped_pages && !model->training_remapped))
        return ft_fail_memory(diag, "a model");
    const size_t scopes = work->entries[work->count - 1]->scopes.scope_count;
    for (size_t i = 0; work->remapped_pages && i < scopes * work->count; i++)
        model->training_remapped[i % work->count] += (uint64_t)work->remapped_pages[i];
    for (size_t group = 0; group < model->group_count; group++)
        for (size_t e = 0; e < work->count; e++)
            model->training_accesses[group * work->count + e] =
                (uint64_t)ft_fit_group_accesses(work, group, e);
    for (size_t size = 0; size < model->size_count; size++)
        for (size_t e = 0; e < work->count; e++)
            model->training_blocks[size * work->count + e] =
                work->entries[e]->distinct_blocks[size];
    return FT_OK;
}

static int fill_set_distances(const struct ft_fit_work *work, struct ft_diag *diag)
{
    for (size_t e = 0; e < work->count; e++) {
        const struct ft_set_distances *sampled = work->entries[e]->set_distances;
        struct ft_set_distances *copy;
        if (!sampled)
            continue;
        FT_TRY(ft_set_distances_copy(sampled, &copy, diag));
        FT_TRY(ft_model_set_distances_add(work->model, e, copy, diag));
    }
    return FT_OK;
}

/* The sizes of counts alone. */
static int fill_counted(const struct ft_fit_work *work, struct ft_diag *diag)
{
    const struct ft_counted_sizes *sizes = &work->counted;
    struct ft_model_counted *counted = &work->model->counted;
    const size_t width = work->model->basis.parameter_count;
    counted->values = calloc(sizes->alone * width + 1, sizeof *counted->values);
    counted->trace_hashes = calloc(sizes->alone + 1, sizeof *counted->trace_hashes);
    if (!counted->values || !counted->trace_hashes)
        return ft_fail_memory(diag, "a model");
    for (size_t e = 0; e < sizes->alone; e++) {
        memcpy(counted->values + e * width, sizes->values + sizes->columns[e] * width,
               width * sizeof *counted->values);
        counted->count = e + 1;
        if (!(counted->trace_hashes[e] = strdup(sizes->entries[e]->trace_hash)))
            return ft_fail_memory(diag, "a model");
    }
    return FT_OK;
}

int ft_measured_counts_fill(const struct ft_fit_work *work, struct ft_diag *diag)
{
    FT_TRY(fill_counted(work, diag));
    FT_TRY(fill_measured(work, diag));
    return fill_set_distances(work, diag);
}
