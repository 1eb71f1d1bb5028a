/*
 * A part of a model: of its groups, and of what its replicas share with it, some are forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/query/scope_choice.h"
#include "tests/support/tap.h"

enum { GROUPS = 4, SIZES = 2, REPLICAS = 3, SCOPES = 3 };

static char outer[] = "outer", inner[] = "inner", none[] = "";

/* Groups 0 and 2 are in `outer`, 1 and 3 in `inner`; numbers of group g start with 100 g. */
static struct ft_model make(struct ft_scope scopes[SCOPES])
{
    struct ft_model model = {.training_count = SIZES};
    for (uint32_t i = 0; i < SCOPES; i++)
        scopes[i] = (struct ft_scope){.name = i == 1 ? outer : inner, .file = none};
    scopes[1].kind = scopes[2].kind = FT_SCOPE_ROUTINE;
    model.scopes = (struct ft_scopes){.scopes = scopes, .scope_count = SCOPES};
    model.groups = calloc(GROUPS, sizeof *model.groups);
    model.group_count = GROUPS;
    model.training_accesses = calloc((size_t)GROUPS * SIZES, sizeof *model.training_accesses);
    if (!model.groups || !model.training_accesses ||
        ft_group_strides_init(&model.strides, GROUPS, SIZES, NULL) != FT_OK)
        abort();
    for (size_t g = 0; g < GROUPS; g++) {
        model.groups[g].scope = 1 + g % 2;
        model.groups[g].line = (uint32_t)g;
        for (size_t e = 0; e < SIZES; e++) {
            model.training_accesses[g * SIZES + e] = 100 * g + e;
            ft_group_stride(&model.strides, g, 0)[e] = (int64_t)(100 * g + e);
        }
    }
    if (ft_model_add_replicas(&model, REPLICAS, NULL) != FT_OK)
        abort();
    return model;
}

static bool is_inner(const struct ft_model *model)
{
    bool is = model->group_count == 2 && model->strides.group_count == 2;
    for (size_t g = 0; is && g < 2; g++) {
        const uint64_t number = 100 * (2 * g + 1);
        is = model->groups[g].line == 2 * g + 1 &&
             model->training_accesses[g * SIZES + 1] == number + 1 &&
             ft_group_stride(&model->strides, g, 0)[0] == (int64_t)number;
    }
    return is;
}

int main(void)
{
    struct ft_scope scopes[SCOPES];
    struct ft_model model = make(scopes);
    tap_ok(ft_model_choose_scope(&model, "inner", NULL) == FT_OK && is_inner(&model),
           "groups of a routine, with accesses and strides");
    bool all = true;
    for (size_t i = 0; i < model.replica_count; i++)
        all = all && is_inner(&model.replicas[i]);
    tap_ok(all, "and those of each replica");
    model.scopes = (struct ft_scopes){0};
    ft_model_fini(&model);
    return tap_plan_done();
}
