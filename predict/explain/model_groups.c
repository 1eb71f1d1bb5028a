/* The groups of an explanation by a model's histograms. */
#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/stride_law.h"
#include "formats/base/array.h"
#include "predict/explain/explained_groups.h"
#include "predict/metrics/misses.h"
#include "predict/metrics/set_chances.h"

static void set_loops(const struct ft_prediction *prediction, size_t index,
                      struct ft_explained_group *group)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    uint32_t scope = group->scope;
    for (unsigned i = 0; i < FT_STRIDE_LOOPS_MAX && scopes->scopes[scope].kind == FT_SCOPE_LOOP;
         i++, scope = scopes->scopes[scope].parent) {
        const struct ft_stride_law law =
            ft_stride_law_of(prediction->model, index, i, &prediction->at);
        if (!law.is_loop)
            break;
        group->loops[group->loop_count++] = (struct ft_explained_loop){
            .scope = scope,
            .iterations = ft_stride_trip_count(prediction->model, index, i, &prediction->at),
            .is_known = law.is_known,
            .stride_bytes = law.is_known ? law.bytes : 0};
    }
}

static int set_misses(const struct ft_prediction *prediction, const struct ft_set_chances *chances,
                      size_t index, struct ft_forecast *forecast, struct ft_explained_group *group,
                      struct ft_diag *diag)
{
    const struct ft_machine *machine = prediction->machine;
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        const size_t size = ft_model_block_size(prediction->model, level->block_bytes);
        FT_TRY(
            ft_forecast_evaluate(prediction->model, index, size, &prediction->at, forecast, diag));
        const struct ft_miss_count count = ft_count_misses(forecast, &chances[i]);
        group->accesses = forecast->accesses;
        ft_explained_misses_add(&group->levels[i], fmin(forecast->cold, count.set_associative),
                                count.fully_associative, count.set_associative);
    }
    return FT_OK;
}

static int add_group(struct ft_explanation *explanation, const struct ft_set_chances *chances,
                     size_t index, struct ft_forecast *forecast, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = explanation->prediction;
    const struct ft_model *model = prediction->model;
    const struct ft_model_group *from = &model->groups[index];
    if (!FT_RESERVE(explanation->groups, explanation->group_capacity, explanation->group_count + 1))
        return ft_fail_memory(diag, "an explanation");
    struct ft_explained_group *group = &explanation->groups[explanation->group_count];
    *group = (struct ft_explained_group){
        .scope = from->scope,
        .line = from->line,
        .reference_count = from->reference_count,
        .load_class = model->strides.load_classes ? model->strides.load_classes[index]
                                                  : (uint8_t)FT_LOAD_INDEPENDENT,
        .line_use = NAN,
        .levels = calloc(prediction->machine->level_count + 1, sizeof *group->levels)};
    if (!group->levels)
        return ft_fail_memory(diag, "an explanation");
    explanation->group_count++;
    group->stores = group->load_class == FT_LOADS_NOTHING;
    group->loads = !group->stores;
    if (!from->rest)
        set_loops(prediction, index, group);
    return set_misses(prediction, chances, index, forecast, group, diag);
}

int ft_explained_groups_of_model(struct ft_explanation *explanation, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = explanation->prediction;
    const struct ft_model *model = prediction->model;
    struct ft_forecast forecast = {0};
    struct ft_set_chances *chances = NULL;
    int status =
        ft_level_chances(model, prediction->machine, NULL, &prediction->at, &chances, diag);
    for (size_t i = 0; !status && i < model->group_count; i++)
        if (ft_scope_is_inside(&model->scopes, model->groups[i].scope, explanation->scope))
            status = add_group(explanation, chances, i, &forecast, diag);
    ft_forecast_fini(&forecast);
    ft_level_chances_free(chances, prediction->machine->level_count);
    return status;
}
