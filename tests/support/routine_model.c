#include "tests/support/routine_model.h"

#include <math.h>
#include <stdlib.h>

static struct ft_member_bins *packed[500];
static size_t packed_count;

struct ft_function routine_model_term(const struct ft_basis *basis, double exponent, double factor)
{
    struct ft_function function = {.exact = true};
    function.coefficients[ft_basis_power(basis, exponent)] = factor;
    return function;
}

struct ft_function routine_model_plus(struct ft_function function, double constant)
{
    function.coefficients[0] += constant;
    return function;
}

void routine_model_set_bins(struct routine_model *model, size_t group, size_t count)
{
    struct ft_member_bins *bins = ft_member_bins_of(model->bins[group], count);
    if (packed_count == sizeof packed / sizeof *packed)
        abort();
    packed[packed_count++] = model->members[group].bins = bins;
}

void routine_models_free_bins(void)
{
    while (packed_count > 0)
        free(packed[--packed_count]);
}

void routine_model_init(struct routine_model *made, const char *parameter, const char *terms,
                        double smallest, double largest)
{
    static char name[] = "small", empty[] = "", method[] = "modes", size[] = "N", data[] = "s";
    *made = (struct routine_model){.training = {smallest, sqrt(smallest * largest), largest},
                                   .block_bytes = {32}};
    struct ft_model *model = &made->model;
    made->training[1] = rint(made->training[1]);
    if (ft_basis_read(&model->basis, parameter, terms, NULL) != FT_OK)
        abort();
    model->name = model->program = name;
    model->method = method;
    model->parameter = parameter[0] == 'N' ? size : data;
    model->training = made->training;
    model->training_count = 3;
    model->scopes.scopes = made->scopes;
    model->scopes.scope_count = 1 + ROUTINE_MODEL_GROUPS;
    model->block_bytes = made->block_bytes;
    model->size_count = 1;
    model->distinct_blocks = made->footprint;
    model->groups = made->groups;
    model->group_count = ROUTINE_MODEL_GROUPS;
    for (uint32_t i = 0; i <= ROUTINE_MODEL_GROUPS; i++)
        made->scopes[i] = (struct ft_scope){
            .kind = i > 0 ? FT_SCOPE_ROUTINE : FT_SCOPE_PROGRAM, .name = empty, .file = empty};
    for (uint32_t i = 0; i < ROUTINE_MODEL_GROUPS; i++) {
        made->members[i] = (struct ft_model_member){.weight = 1};
        made->histograms[i] =
            (struct ft_model_histogram){.members = &made->members[i], .member_count = 1};
        made->groups[i] =
            (struct ft_model_group){.scope = 1 + i, .histograms = &made->histograms[i]};
    }
}

struct ft_machine routine_model_cache(struct ft_level *level, uint64_t blocks)
{
    *level = (struct ft_level){.block_bytes = 32, .blocks = blocks, .ways = blocks};
    return (struct ft_machine){.levels = level, .level_count = 1, .cache_count = 1};
}
