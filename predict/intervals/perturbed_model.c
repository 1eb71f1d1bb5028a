#include "predict/intervals/perturbed_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/intervals/interval.h"

#define NEARLY     0.25 /* of the heaviest member's weight, 1 / error^2: twice its error */
#define MISFIT_MAX 0.99

int ft_perturbed_copy(const struct ft_model *model, struct ft_perturbed_model *perturbed,
                      struct ft_diag *diag)
{
    const size_t sizes = model->size_count;
    *perturbed = (struct ft_perturbed_model){.model = *model};
    perturbed->model.groups = calloc(model->group_count + 1, sizeof *model->groups);
    perturbed->model.counts = calloc(model->counts_count + 1, sizeof *model->counts);
    perturbed->histograms =
        malloc((model->group_count * sizes + 1) * sizeof *perturbed->histograms);
    if (!perturbed->model.groups || !perturbed->model.counts || !perturbed->histograms) {
        ft_perturbed_fini(perturbed);
        return ft_fail_memory(diag, "a perturbed model");
    }
    if (model->counts_count > 0)
        memcpy(perturbed->model.counts, model->counts, model->counts_count * sizeof *model->counts);
    for (size_t i = 0; i < model->group_count; i++) {
        perturbed->model.groups[i] = model->groups[i];
        perturbed->model.groups[i].histograms = perturbed->histograms + i * sizes;
        for (size_t size = 0; size < sizes; size++)
            perturbed->histograms[i * sizes + size] = model->groups[i].histograms[size];
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

int ft_perturbed_by_method(const struct ft_model *model, uint32_t method,
                           struct ft_perturbed_model *ret_perturbed, struct ft_diag *diag)
{
    int status = ft_perturbed_copy(model, ret_perturbed, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count * model->size_count; i++)
        choose_member(&ret_perturbed->histograms[i], method);
    return status;
}

/* Replaces the functions of accesses and executions. */
static void for_counts(struct ft_perturbed_model *perturbed,
                       void (*replace)(struct ft_function *function))
{
    for (size_t i = 0; i < perturbed->model.group_count; i++)
        replace(&perturbed->model.groups[i].accesses);
    for (size_t i = 0; i < perturbed->model.counts_count; i++) {
        struct ft_model_scope_counts *counts = &perturbed->model.counts[i];
        replace(&counts->instructions);
        replace(&counts->flops);
        for (size_t class = 0; class < FT_MIX_COUNT; class ++)
            replace(&counts->mix[class]);
    }
}

static void raise_function(struct ft_function *function)
{
    double factor = 1 / (1 - fmin(FT_NORMAL_ERRORS * function->rms_relative_error, MISFIT_MAX));
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        function->coefficients[term] *= factor;
}

int ft_perturbed_by_misfit(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                           struct ft_diag *diag)
{
    int status = ft_perturbed_copy(model, ret_perturbed, diag);
    if (status == FT_OK)
        for_counts(ret_perturbed, raise_function);
    return status;
}

static void keep_exact(struct ft_function *function)
{
    if (!function->exact || function->left_out > 0)
        *function = (struct ft_function){0};
}

int ft_perturbed_exact_only(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                            struct ft_diag *diag)
{
    int status = ft_perturbed_copy(model, ret_perturbed, diag);
    if (status == FT_OK)
        for_counts(ret_perturbed, keep_exact);
    return status;
}

void ft_perturbed_fini(struct ft_perturbed_model *perturbed)
{
    free(perturbed->model.groups);
    free(perturbed->model.counts);
    free(perturbed->histograms);
    *perturbed = (struct ft_perturbed_model){0};
}
