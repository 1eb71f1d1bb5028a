/*
 * The code of a model with forecasts: how often blocks are executed, and what groups of references
 * do. A model does not say which references a group has, but their number, the line of the first
 * one and how many accesses they had at the largest training size, whose references the model has,
 * in groups of that size. Of the same scope, a group of these with the same number and line, whose
 * blocks were executed as often, is taken for it; where the figures leave a choice, groups are in
 * the order of their first references on both sides. What has no match stays unknown.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/commands/report/code.h"
#include "predict/commands/report/document.h"
#include "predict/group_rows.h"

/* References of the largest training size that move alike there. */
struct alike {
    uint32_t scope, line, count;
    uint64_t executions; /* of the instructions that make the accesses */
    size_t first;        /* reference */
    uint32_t group;      /* of the scopes */
};

static int compare(const void *left, const void *right)
{
    const struct alike *a = left, *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* [group of the scopes], by scope and first reference. NULL: out of memory. */
static struct alike *list_alike(const struct ft_scopes *scopes)
{
    struct alike *list = calloc((size_t)scopes->group_count + 1, sizeof *list);
    for (size_t r = 0; list && r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        struct alike *into = &list[reference->group];
        if (reference->kind == FT_FETCH)
            continue;
        if (into->count++ == 0)
            *into = (struct alike){reference->scope, reference->line, 1, 0, r, reference->group};
        into->executions += scopes->blocks[reference->block].execution_count;
    }
    if (list)
        qsort(list, scopes->group_count, sizeof *list, compare);
    return list;
}

static bool is_of(const struct alike *alike, const struct ft_model_group *group)
{
    return alike->scope == group->scope && alike->line == group->line &&
           alike->count == group->reference_count &&
           alike->executions == group->accesses_at_largest;
}

/* The group of the model that each group of the scopes became: [group of the scopes], SIZE_MAX
 * where it is not known. */
static void match(const struct ft_model *model, const struct alike *list, size_t *ret_groups)
{
    const size_t count = model->scopes.group_count;
    size_t first = 0;
    for (size_t i = 0; i < count; i++)
        ret_groups[i] = SIZE_MAX;
    for (size_t g = 0; g < model->group_count; g++) {
        const struct ft_model_group *group = &model->groups[g];
        while (first < count && list[first].scope < group->scope)
            first++;
        for (size_t i = first; !group->rest && i < count && list[i].scope == group->scope; i++)
            if (ret_groups[list[i].group] == SIZE_MAX && is_of(&list[i], group)) {
                ret_groups[list[i].group] = g;
                break;
            }
    }
}

/* groups: [group of the scopes], as match gives them. */
static int fill_references(const struct ft_prediction *prediction, const size_t *groups,
                           struct ft_page_code *code, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    double *rows = calloc(model->group_count * code->width + 1, sizeof *rows);
    int status = rows ? ft_group_rows(prediction, rows, diag) : ft_fail_memory(diag, "a report");
    for (size_t r = 0; status == FT_OK && r < model->scopes.reference_count; r++) {
        const struct ft_scoped_reference *reference = &model->scopes.references[r];
        const size_t group = reference->kind == FT_FETCH ? SIZE_MAX : groups[reference->group];
        if (group == SIZE_MAX)
            continue;
        code->alike[r] = model->groups[group].reference_count;
        for (size_t column = 0; column < code->width; column++)
            code->references[r * code->width + column] = rows[group * code->width + column];
    }
    free(rows);
    return status;
}

static void fill_executions(const struct ft_prediction *prediction, struct ft_page_code *code)
{
    const struct ft_model_executions *executions = &prediction->model->executions;
    for (size_t b = 0; executions->count > 0 && b < code->scopes->block_count; b++)
        code->executions[b] =
            fmax(ft_function_at(&executions->functions[executions->blocks[b]], &prediction->at), 0);
}

static int fill(const struct ft_prediction *prediction, struct ft_page_code *code,
                struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct alike *list = list_alike(scopes);
    size_t *groups = calloc((size_t)scopes->group_count + 1, sizeof *groups);
    int status = list && groups ? FT_OK : ft_fail_memory(diag, "a report");
    if (status == FT_OK) {
        match(prediction->model, list, groups);
        status = fill_references(prediction, groups, code, diag);
    }
    fill_executions(prediction, code);
    free(list);
    free(groups);
    return status;
}

int ft_page_forecast_code(const struct ft_page_task *task, json_t **ret_code, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct ft_page_code code = {0};
    *ret_code = json_null();
    if (!task->with_code || !scopes->code)
        return FT_OK;
    bool *is_shown = ft_page_shown_scopes(task);
    int status = is_shown ? ft_page_code_init(&code, scopes, prediction->machine->level_count, diag)
                          : ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        status = fill(prediction, &code, diag);
    if (status == FT_OK)
        status = ft_page_code_json(&code, is_shown, ret_code, diag);
    ft_page_code_fini(&code);
    free(is_shown);
    return status;
}
