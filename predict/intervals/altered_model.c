#include "predict/intervals/altered_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEARLY     0.25 /* of the heaviest member's weight, 1 / error^2: twice its error */
#define MISFIT_MAX 0.99
#define NORMAL     1.96 /* standard errors that 95 % lie within */

int ft_altered_copy(const struct ft_model *model, struct ft_altered_model *altered,
                    struct ft_diag *diag)
{
    const size_t sizes = model->size_count;
    *altered = (struct ft_altered_model){.model = *model};
    altered->model.groups = malloc((model->group_count + 1) * sizeof *model->groups);
    altered->model.counts = malloc((model->counts_count + 1) * sizeof *model->counts);
    altered->histograms = malloc((model->group_count * sizes + 1) * sizeof *altered->histograms);
    if (!altered->model.groups || !altered->model.counts || !altered->histograms) {
        ft_altered_fini(altered);
        return ft_fail_memory(diag, "an altered model");
    }
    if (model->counts_count > 0)
        memcpy(altered->model.counts, model->counts, model->counts_count * sizeof *model->counts);
    for (size_t i = 0; i < model->group_count; i++) {
        altered->model.groups[i] = model->groups[i];
        altered->model.groups[i].histograms = altered->histograms + i * sizes;
        for (size_t size = 0; size < sizes; size++)
            altered->histograms[i * sizes + size] = model->groups[i].histograms[size];
    }
    return FT_OK;
}

static void choose_member(struct ft_model_histogram *histogram, uint32_t method)
{
    for (size_t i = 0; i < histogram->member_count; i++)
        if (histogram->members[i].method == method &&
            histogram->members[i].weight >= NEARLY * histogram->members[0].weight) {
            histogram->members = &histogram->members[i];
            histogram->member_count = 1;
            return;
        }
}

int ft_altered_by_method(const struct ft_model *model, uint32_t method,
                         struct ft_altered_model *ret_altered, struct ft_diag *diag)
{
    int status = ft_altered_copy(model, ret_altered, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count * model->size_count; i++)
        choose_member(&ret_altered->histograms[i], method);
    return status;
}

static void raise_function(struct ft_function *function)
{
    double factor = 1 / (1 - fmin(NORMAL * function->rms_relative_error, MISFIT_MAX));
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        function->coefficients[term] *= factor;
}

int ft_altered_by_misfit(const struct ft_model *model, struct ft_altered_model *ret_altered,
                         struct ft_diag *diag)
{
    int status = ft_altered_copy(model, ret_altered, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count; i++)
        raise_function(&ret_altered->model.groups[i].accesses);
    for (size_t i = 0; status == FT_OK && i < model->counts_count; i++) {
        struct ft_model_scope_counts *counts = &ret_altered->model.counts[i];
        raise_function(&counts->instructions);
        raise_function(&counts->flops);
        for (size_t class = 0; class < FT_MIX_COUNT; class ++)
            raise_function(&counts->mix[class]);
    }
    return status;
}

void ft_altered_fini(struct ft_altered_model *altered)
{
    free(altered->model.groups);
    free(altered->model.counts);
    free(altered->histograms);
    *altered = (struct ft_altered_model){0};
}
