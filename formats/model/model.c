#include "formats/model/model.h"

#include <stdlib.h>

struct ft_point ft_model_largest(const struct ft_model *model)
{
    return ft_point_at(&model->basis, &model->training[model->training_count - 1]);
}

void ft_model_fini(struct ft_model *model)
{
    for (size_t i = 0; model->trace_hashes && i < model->training_count; i++)
        free(model->trace_hashes[i]);
    for (size_t i = 0; model->groups && i < model->group_count; i++) {
        struct ft_model_group *group = &model->groups[i];
        for (size_t j = 0; group->histograms && j < model->size_count; j++)
            free(group->histograms[j].bins);
        free(group->histograms);
    }
    free(model->program);
    free(model->parameter);
    free(model->training);
    free(model->trace_hashes);
    free(model->block_bytes);
    free(model->distinct_blocks);
    free(model->groups);
    free(model->counts);
    free(model->method);
    free(model->options);
    free(model->tool_version);
    ft_scopes_fini(&model->scopes);
    *model = (struct ft_model){0};
}
