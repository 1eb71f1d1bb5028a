#include "formats/model.h"

#include <math.h>
#include <stdlib.h>

double ft_basis_at(enum ft_basis term, double n)
{
    switch (term) {
    case FT_BASIS_ONE:
        return 1;
    case FT_BASIS_N:
        return n;
    case FT_BASIS_N2:
        return n * n;
    case FT_BASIS_N3:
        return n * n * n;
    case FT_BASIS_N4:
        return n * n * n * n;
    case FT_BASIS_LOG:
        return log2(n);
    case FT_BASIS_NLOG:
        return n * log2(n);
    default:
        return 0;
    }
}

double ft_function_at(const struct ft_function *function, double n)
{
    double value = 0;
    for (int term = 0; term < FT_BASIS_COUNT; term++)
        if (function->coefficients[term] != 0)
            value += function->coefficients[term] * ft_basis_at((enum ft_basis)term, n);
    return value > 0 ? value : 0;
}

struct ft_function ft_function_add(const struct ft_function *a, const struct ft_function *b,
                                   double factor)
{
    struct ft_function sum = {
        .rms_relative_error = fmax(a->rms_relative_error, b->rms_relative_error),
        .exact = false,
    };
    for (int term = 0; term < FT_BASIS_COUNT; term++)
        sum.coefficients[term] = a->coefficients[term] + factor * b->coefficients[term];
    return sum;
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
